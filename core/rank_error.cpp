#include "core/rank_error.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ringscope {

RankError::RankError(ErrorKind kind_, int rank_, int step_, Slice slice_, std::string got_, std::string want_,
                     std::string fix_)
    : Error(kind_, place_text(rank_, step_, slice_) + ": " + got_, std::move(want_), std::move(fix_)),
      rank(rank_),
      step(step_),
      slice(slice_) {}

std::string place_text(int rank, int step, const Slice& slice) {
  return "rank " + std::to_string(rank) + " step " + std::to_string(step) + " " + to_text(slice);
}

namespace {

std::optional<Slice> first_work(const Schedule& schedule, int rank, int step) {
  const auto moves = schedule.moves_of(step);
  const auto is_sent = [rank](const Move& m) { return m.from == rank && m.to != nobody; };
  if (const auto m = std::ranges::find_if(moves, is_sent); m != moves.end()) return m->slice();
  const auto attends = schedule.attends_of(step);
  if (const auto a = std::ranges::find(attends, rank, &Attend::rank); a != attends.end()) {
    return Slice{TensorKind::kv, a->kv, a->kv_heads};
  }
  const auto finishes = schedule.finishes_of(step);
  if (const auto f = std::ranges::find(finishes, rank, &Finish::rank); f != finishes.end()) {
    return Slice{TensorKind::out, f->q, f->heads};
  }
  return std::nullopt;
}

}  // namespace

Slice activity_of(const Schedule& schedule, int rank, int step) {
  for (int t = std::max(step, 0); t < schedule.steps(); ++t) {
    if (const auto slice = first_work(schedule, rank, t)) return *slice;
  }
  for (int t = std::min(step, schedule.steps()) - 1; t >= 0; --t) {
    if (const auto slice = first_work(schedule, rank, t)) return *slice;
  }
  return {};
}

}  // namespace ringscope
