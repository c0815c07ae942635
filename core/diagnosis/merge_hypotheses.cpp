// Running States that are joined otherwise: tiles of one kernel.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/diagnosis/hypothesis.h"
#include "core/diagnosis/what_if.h"
#include "core/oracle.h"

namespace ringscope {

namespace {

constexpr std::int64_t tile_sizes[] = {16, 32, 64, 128, 8, 4, 256};

auto in_tiles(std::int64_t tile) {
  return [tile](const RowAt&, std::vector<Entry>& entries) {
    for (Entry& e : entries) e.part = static_cast<int>(e.key / tile);
  };
}

std::string tiles_of(std::int64_t tile) {
  return "tiles of " + std::to_string(tile) + " keys";
}

void forget_rescale(const Evidence& e, const Offer& offer) {
  for (const std::int64_t tile : tile_sizes) {
    if (tile >= e.problem.len_kv) continue;
    Mistake mistake;
    mistake.joining = Joining::no_rescale;
    mistake.entries = in_tiles(tile);
    offer({tiles_of(tile), what_if(e.problem, e.inputs, mistake)});
  }
}

enum class Running : std::uint8_t { normalised, unnormalised };  // what is kept between tiles: O / l or O

Outputs with_rounded_partials(const Evidence& e, ElementType type, std::int64_t tile, Running running,
                              Weights weights) {
  Mistake mistake;
  mistake.entries = in_tiles(tile);
  if (weights == Weights::rounded_to_16_bit) mistake.weight = [type](double p) { return round_to(type, p); };
  mistake.after_part = [=](std::span<double> O, double l) {
    const double by = running == Running::normalised && l > 0 ? l : 1;
    for (double& x : O) x = round_to(type, x / by) * by;
  };
  Problem forward = e.problem;
  forward.direction = Direction::forward;
  Outputs outputs = e.right;
  outputs.o = what_if(forward, e.inputs, mistake).o;
  for (double& x : outputs.o.values) x = round_to(type, x);
  return outputs;
}

void round_partials(const Evidence& e, const Offer& offer) {
  const ElementType type = output_type(e.problem.type);
  if (bytes_of(type) > 2) return;
  for (const std::int64_t tile : tile_sizes) {
    if (tile >= e.problem.len_kv) continue;
    for (const Running running : {Running::normalised, Running::unnormalised}) {
      for (const Weights weights : {Weights::rounded_to_16_bit, Weights::kept}) {
        offer({"O rounded to " + std::string(name_of(type)) + " after " + tiles_of(tile),
               with_rounded_partials(e, type, tile, running, weights)});
      }
    }
  }
}

// The last tile's spare slots still hold the tile before, and are counted.
void keep_stale_tail(const Evidence& e, const Offer& offer) {
  const std::int64_t len = e.problem.len_kv;
  for (const std::int64_t tile : tile_sizes) {
    const std::int64_t tail = len % tile;
    if (tail == 0 || tile > len) continue;
    for (const bool booked : {false, true}) {
      Mistake mistake;
      mistake.entries = [=](const RowAt&, std::vector<Entry>& entries) {
        if (entries.empty() || entries.back().key != len - 1) return;
        for (std::int64_t slot = tail; slot < tile; ++slot) {
          entries.push_back({.key = len - tail - tile + slot, .booked = booked});
        }
      };
      offer({tiles_of(tile) + ", " + std::to_string(tile - tail) + " spare slots",
             what_if(e.problem, e.inputs, mistake)});
    }
  }
}

// Keys past the last whole tile are never seen.
void drop_tail(const Evidence& e, const Offer& offer) {
  const std::int64_t len = e.problem.len_kv;
  for (const std::int64_t tile : tile_sizes) {
    if (len % tile == 0 || tile > len) continue;
    Mistake mistake;
    mistake.entries = [=](const RowAt&, std::vector<Entry>& entries) {
      std::erase_if(entries, [=](const Entry& x) { return x.key >= len - len % tile; });
    };
    offer({tiles_of(tile), what_if(e.problem, e.inputs, mistake)});
  }
}

template <class Change>
void change_empty_rows(const Evidence& e, double score, const Offer& offer, const Change& change) {
  Mistake mistake;
  mistake.entries = [&](const RowAt&, std::vector<Entry>& entries) {
    if (!entries.empty()) return;
    for (std::int64_t j = 0; j < e.problem.len_kv; ++j) entries.push_back({.key = j, .score = score});
  };
  Outputs outputs = what_if(e.problem, e.inputs, mistake);
  change(outputs);
  offer({{}, std::move(outputs)});
}

bool has_empty_rows(const Evidence& e) {
  const MaskRows mask = e.problem.mask_rows();
  for (std::int64_t b = 0; b < e.problem.batch; ++b) {
    for (std::int64_t i = 0; i < e.problem.len_q; ++i) {
      if (mask.row(b, i).size() == 0) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Hypothesis> merge_hypotheses() {
  return {
      {"no_rescale", "the running sum and output are not rescaled when the maximum grows", forget_rescale},
      {"partials_16_bit", "the running output is rounded to 16 bits after each step", round_partials},
      {"tail_tile_stale", "spare slots of the last tile still hold keys of the tile before", keep_stale_tail},
      {"tail_tile_dropped", "keys past the last whole tile are not seen", drop_tail},
      {"empty_row_nan", "rows that see no key become NaN, which spreads",
       [](const Evidence& e, const Offer& offer) {
         if (has_empty_rows(e)) change_empty_rows(e, -std::numeric_limits<double>::infinity(), offer, [](Outputs&) {});
       }},
      {"empty_row_mean_v", "rows that see no key give the mean of V",
       [](const Evidence& e, const Offer& offer) {
         if (!has_empty_rows(e)) return;
         // The LSE of such rows depends on what stands for -infinity: take what was given.
         const auto take_lse = [&](Outputs& outputs) {
           for (std::size_t n = 0; n < outputs.lse.values.size(); ++n) {
             if (std::isinf(e.right.lse.values[n]) && !e.given.lse.empty())
               outputs.lse.values[n] = e.given.lse.values[n];
           }
         };
         change_empty_rows(e, 0, offer, take_lse);
         change_empty_rows(e, 0, offer, [&](Outputs& outputs) {  // a backward that masks again leaves gradients right
           take_lse(outputs);
           outputs.dq = e.right.dq, outputs.dk = e.right.dk, outputs.dv = e.right.dv;
         });
       }},
  };
}

}  // namespace ringscope
