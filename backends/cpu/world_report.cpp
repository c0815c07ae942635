// What World says when nothing can go on: who waits for what, and who is to blame.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "backends/cpu/world.h"

namespace ringscope::cpu {

namespace {

constexpr int most_waiters_named = 6;

std::string text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

}  // namespace

std::string World::who_waits(int but_not_rank) const {
  std::string out;
  int named = 0, left_out = 0;
  for (int r = 0; r < plan_.layout.ranks; ++r) {
    const Rank& rank = ranks_[static_cast<std::size_t>(r)];
    if (rank.waits_for < 0 || r == but_not_rank) continue;
    if (named == most_waiters_named) {
      ++left_out;
      continue;
    }
    const Move& m = move_of(rank.waits_for);
    out += "; rank " + std::to_string(r) + " step " + std::to_string(rank.step) + " waits for " + to_text(m.slice()) +
           " from rank " + std::to_string(m.from);
    ++named;
  }
  return left_out == 0 ? out : out + "; " + std::to_string(left_out) + " more ranks wait";
}

// A message whose sender has passed its step is lost; who waits for it first is where the trouble began.
RankError World::nothing_can_move() const {
  const Rank* first = nullptr;
  std::tuple<bool, int, int> first_key;
  for (int r = 0; r < plan_.layout.ranks; ++r) {
    const Rank& rank = ranks_[static_cast<std::size_t>(r)];
    if (rank.doing != Doing::waiting) continue;
    const bool lost = ranks_[static_cast<std::size_t>(move_of(rank.waits_for).from)].step >= step_of(rank.waits_for);
    const std::tuple<bool, int, int> key{!lost, rank.step, r};
    if (first == nullptr || key < first_key) std::tie(first, first_key) = std::pair{&rank, key};
  }
  if (first == nullptr) {
    const auto gone = std::ranges::find(ranks_, Doing::gone, &Rank::doing);
    const int r = static_cast<int>(gone - ranks_.begin());
    return {ErrorKind::fault,
            r,
            gone->step,
            activity_of(plan_.schedule, r, gone->step),
            "the rank left before the run was done",
            "every rank to the end"};
  }
  const Move& m = move_of(first->waits_for);
  const std::string from = std::to_string(m.from), posted = std::to_string(step_of(first->waits_for));
  const bool lost = !std::get<0>(first_key);
  return {ErrorKind::fault,
          m.to,
          first->step,
          m.slice(),
          std::string(lost ? "the message was lost" : "the message can never come") +
              ": all ranks are blocked and nothing is in flight" + who_waits(m.to),
          "the message that rank " + from + " had to send in step " + posted,
          "look at what rank " + from + " posts in step " + posted};
}

int World::stalled_rank() const {
  int stalled = -1;
  for (int r = 0; r < plan_.layout.ranks; ++r) {
    const Rank& rank = ranks_[static_cast<std::size_t>(r)];
    if (rank.doing == Doing::gone || rank.waits_for >= 0 || rank.has_arrived) continue;
    if (stalled < 0 || rank.step < ranks_[static_cast<std::size_t>(stalled)].step) stalled = r;
  }
  return stalled;
}

RankError World::no_progress(int stalled, double deadline_seconds) const {
  const int step = std::max(0, ranks_[static_cast<std::size_t>(stalled)].step);
  return {ErrorKind::fault,
          stalled,
          step,
          activity_of(plan_.schedule, stalled, step),
          "the rank stalls: no progress anywhere for " + text(deadline_seconds) + " s" + who_waits(stalled),
          "progress on some rank before the deadline",
          "raise the deadline if one attend takes that long"};
}

}  // namespace ringscope::cpu
