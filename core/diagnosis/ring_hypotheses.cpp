// Mistakes of a ring: whole blocks of one rank, local positions, joins of blocks. They need to know who owned what.
#include <algorithm>

#include "core/diagnosis/hypothesis.h"
#include "core/diagnosis/rank_rows.h"
#include "core/diagnosis/what_if.h"

namespace ringscope {

namespace {

// The blocks of a rank in ring order: its own first, then the one below it, and so on.
void order_by_ring(const RankRows& rows, std::int64_t query, int direction, std::vector<Entry>& entries) {
  const int n = rows.ranks(), r = rows.of_query(query).rank;
  for (Entry& e : entries) e.part = ((r - rows.of_key(e.key).rank) * direction + 2 * n) % n;
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.part < b.part; });
}

Mistake joining_blocks(const RankRows& rows, Joining joining, int direction) {
  Mistake mistake;
  mistake.joining = joining;
  mistake.entries = [&rows, direction](const RowAt& at, std::vector<Entry>& entries) {
    order_by_ring(rows, at.query, direction, entries);
  };
  return mistake;
}

std::string pair_of(int rank, int block) {
  return "rank " + std::to_string(rank) + ", KV block of rank " + std::to_string(block);
}

// change(entries, block) for the rows of the rank where the outputs first go wrong, for each block it could be.
template <class Change>
void for_one_block(const Evidence& e, const Offer& offer, const Change& change) {
  if (!e.layout || !e.first_wrong || e.first_wrong->row < 0) return;
  const RankRows rows(*e.layout, e.problem);
  const bool query_side = *e.first_wrong->output != Output::dk && *e.first_wrong->output != Output::dv;
  if (!query_side) return;
  const int rank = rows.of_query(e.first_wrong->row).rank;
  for (int block = 0; block < rows.ranks(); ++block) {
    Mistake mistake;
    mistake.entries = [&](const RowAt& at, std::vector<Entry>& entries) {
      if (rows.of_query(at.query).rank == rank) change(rows, block, entries);
    };
    offer({pair_of(rank, block), what_if(e.problem, e.inputs, mistake)});
  }
}

void miss_block(const RankRows& rows, int block, std::vector<Entry>& entries) {
  std::erase_if(entries, [&](const Entry& e) { return rows.of_key(e.key).rank == block; });
}

void double_block(const RankRows& rows, int block, std::vector<Entry>& entries) {
  for (Entry& e : entries) e.times = rows.of_key(e.key).rank == block ? 2 : 1;
}

// Every rank lacks the block that would have come last.
void miss_last_step(const Evidence& e, const Offer& offer) {
  if (!e.layout) return;
  const RankRows rows(*e.layout, e.problem);
  for (const int direction : {1, -1}) {
    Mistake mistake;
    mistake.entries = [&](const RowAt& at, std::vector<Entry>& entries) {
      order_by_ring(rows, at.query, direction, entries);
      std::erase_if(entries, [&](const Entry& x) { return x.part == rows.ranks() - 1; });
    };
    offer({{}, what_if(e.problem, e.inputs, mistake)});
  }
}

// Every block is masked by local row numbers instead of global positions.
void mask_locally(const Evidence& e, const Offer& offer) {
  if (!e.layout) return;
  const RankRows rows(*e.layout, e.problem);
  const MaskRows mask = e.problem.mask_rows();
  Mistake mistake;
  mistake.entries = [&](const RowAt& at, std::vector<Entry>& entries) {
    entries.clear();
    const KeyInterval keys = mask.row(at.batch, rows.of_query(at.query).row);
    for (std::int64_t j = 0; j < e.problem.len_kv; ++j) {
      if (keys.contains(rows.of_key(j).row)) entries.push_back({.key = j});
    }
  };
  offer({{}, what_if(e.problem, e.inputs, mistake)});
}

void join_blocks(const Evidence& e, Joining joining, const Offer& offer) {
  if (!e.layout) return;
  const RankRows rows(*e.layout, e.problem);
  for (const int direction : {1, -1}) {
    offer({"blocks in ring order", what_if(e.problem, e.inputs, joining_blocks(rows, joining, direction))});
    if (joining != Joining::no_rescale) return;  // no other join depends on the order
  }
}

void per_block_backward(const Evidence& e, DeltaFrom delta, WeightsFrom weights, const Offer& offer) {
  if (!e.layout || !e.problem.has_backward()) return;
  const RankRows rows(*e.layout, e.problem);
  Mistake mistake = joining_blocks(rows, Joining::softmax, 1);
  mistake.delta = delta, mistake.weights = weights;
  offer({{}, what_if(e.problem, e.inputs, mistake)});
}

}  // namespace

std::vector<Hypothesis> ring_hypotheses() {
  return {
      {"ring_local_positions", "every block is masked by local row numbers instead of global positions", mask_locally},
      {"ring_block_missing", "a rank never attends to one KV block",
       [](const Evidence& e, const Offer& offer) { for_one_block(e, offer, miss_block); }},
      {"ring_block_twice", "a rank merges one KV block twice",
       [](const Evidence& e, const Offer& offer) { for_one_block(e, offer, double_block); }},
      {"ring_step_missing", "every rank stops one ring step too early", miss_last_step},
      {"merge_average", "the blocks' outputs are averaged instead of weighted",
       [](const Evidence& e, const Offer& offer) { join_blocks(e, Joining::average, offer); }},
      {"merge_sum", "the blocks' outputs are added without weights",
       [](const Evidence& e, const Offer& offer) { join_blocks(e, Joining::sum, offer); }},
      {"merge_no_rescale", "States of blocks are merged without rescaling",
       [](const Evidence& e, const Offer& offer) {
         join_blocks(e, Joining::no_rescale, offer);
         join_blocks(e, Joining::added, offer);
       }},
      {"delta_local", "delta is taken from each block's own output",
       [](const Evidence& e, const Offer& offer) {
         per_block_backward(e, DeltaFrom::own_part, WeightsFrom::whole_row, offer);
       }},
      {"lse_local", "the backward takes each block's own LSE",
       [](const Evidence& e, const Offer& offer) {
         per_block_backward(e, DeltaFrom::whole_row, WeightsFrom::own_part, offer);
       }},
  };
}

}  // namespace ringscope
