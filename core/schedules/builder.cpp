#include "core/schedules/builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/footprint.h"
#include "core/index.h"

namespace ringscope {

namespace {

Heads all_heads(std::int64_t count) {
  return {0, static_cast<std::uint16_t>(count)};
}

}  // namespace

ScheduleBuilder::ScheduleBuilder(const BuildRequest& request)
    : request_(request), pairs_(request.problem, request.layout), first_backward_(std::numeric_limits<int>::max()) {}

Heads ScheduleBuilder::q_heads() const {
  return all_heads(request_.problem.heads_q);
}
Heads ScheduleBuilder::kv_heads() const {
  return all_heads(request_.problem.heads_kv);
}

Blocks ScheduleBuilder::own(int rank) const {
  const int n = request_.layout.blocks_per_rank;
  return {rank * n, n, 1};
}

bool ScheduleBuilder::has_rows(Side side, const Blocks& blocks) const {
  for (int i = 0; i < blocks.count; ++i) {
    if (request_.layout.rows(side, blocks.at(i)) > 0) return true;
  }
  return false;
}

bool ScheduleBuilder::needs(const Blocks& q, const Blocks& kv) const {
  if (!has_rows(Side::q, q) || !has_rows(Side::kv, kv)) return false;
  if (!request_.prune) return true;
  for (int i = 0; i < q.count; ++i) {
    for (int j = 0; j < kv.count; ++j) {
      if (pairs_.pairs(q.at(i), kv.at(j)) > 0) return true;
    }
  }
  return false;
}

void ScheduleBuilder::require_room(std::size_t moves, std::size_t attends) const {
  // The proof takes about as much again.
  const double bytes = 2 * static_cast<double>(moves * sizeof(Move) + attends * sizeof(Attend));
  if (request_.most_bytes == 0 || bytes <= request_.most_bytes) return;
  refuse_size("a schedule of " + std::to_string(moves) + " moves and " + std::to_string(attends) + " attends or more",
              bytes, request_.most_bytes, "take fewer ranks");
}

void ScheduleBuilder::expect(std::size_t moves, std::size_t attends) {
  require_room(moves_.items.size() + moves, attends_.items.size() + attends);
  moves_.expect(moves);
  attends_.expect(attends);
}

void ScheduleBuilder::move(int step, const Move& move) {
  if (move.from == move.to || move.heads.count() <= 0 || !has_rows(side_of(move.tensor), move.blocks)) return;
  require_room(moves_.items.size() + 1, attends_.items.size());
  moves_.add(step, move);
}

bool ScheduleBuilder::has_foreign_rows(const Slice& slice, int rank) const {
  for (int i = 0; i < slice.blocks.count; ++i) {
    const int b = slice.blocks.at(i);
    if (request_.layout.owner(b) != rank && request_.layout.rows(side_of(slice.tensor), b) > 0) return true;
  }
  return false;
}

void ScheduleBuilder::drop(int step, int rank, const Slice& slice) {
  if (!has_foreign_rows(slice, rank)) return;
  move(step, {.blocks = slice.blocks,
              .from = rank,
              .to = nobody,
              .heads = slice.heads,
              .tensor = slice.tensor,
              .source = Source::give});
}

void ScheduleBuilder::attend(int step, const Attend& attend) {
  require_room(moves_.items.size(), attends_.items.size() + 1);
  attends_.add(step, attend);
}

void ScheduleBuilder::finish(int step, int rank, const Share& q) {
  if (q.heads.count() <= 0 || !has_rows(Side::q, q.blocks)) return;
  finishes_.add(step, {.rank = rank, .q = q.blocks, .heads = q.heads, .slot = gather_slot});
}

template <class Item>
std::vector<std::int64_t> ScheduleBuilder::List<Item>::begins(int steps) const {
  std::vector<std::int64_t> begin(at(steps) + 1, 0);
  for (const std::int32_t t : step) ++begin[at(t) + 1];
  for (int t = 0; t < steps; ++t) begin[at(t) + 1] += begin[at(t)];
  return begin;
}

template <class Item>
std::vector<Item> ScheduleBuilder::List<Item>::take_by_step(const std::vector<std::int64_t>& begin) {
  if (std::is_sorted(step.begin(), step.end())) return std::move(items);
  std::vector<std::int64_t> next = begin;
  std::vector<Item> sorted(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) sorted[at(next[at(step[i])]++)] = items[i];
  return sorted;
}

int ScheduleBuilder::steps() const {
  int last = -1;
  for (std::size_t i = 0; i < moves_.items.size(); ++i) last = std::max(last, moves_.step[i] + moves_.items[i].lag);
  for (const std::int32_t t : attends_.step) last = std::max(last, t);
  for (const std::int32_t t : finishes_.step) last = std::max(last, t);
  return last + 1;
}

Schedule ScheduleBuilder::take() {
  const int n = steps();
  const auto move = moves_.begins(n), attend = attends_.begins(n), finish = finishes_.begins(n);
  std::vector<int> flies_until(at(n), -1);  // where the lagging moves of a step land
  for (std::size_t i = 0; i < moves_.items.size(); ++i) {
    int& until = flies_until[at(moves_.step[i])];
    if (moves_.items[i].lag > 0) until = std::max(until, moves_.step[i] + moves_.items[i].lag);
  }
  Schedule out;
  int flying = -1;
  for (int t = 0; t < n; ++t) {
    const std::size_t i = at(t);
    const bool empty = move[i] == move[i + 1] && attend[i] == attend[i + 1] && finish[i] == finish[i + 1];
    flying = std::max(flying, flies_until[i]);
    if (empty && flying < t) continue;
    out.step_begin.push_back({move[i], attend[i], finish[i], t < first_backward_ ? Pass::forward : Pass::backward});
  }
  out.moves = moves_.take_by_step(move);
  out.attends = attends_.take_by_step(attend);
  out.finishes = finishes_.take_by_step(finish);
  return out;
}

}  // namespace ringscope
