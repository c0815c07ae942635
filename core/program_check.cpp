#include "core/program_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/index.h"

namespace ringscope {

namespace {

std::span<const std::int64_t> of_step(const std::vector<std::int64_t>& items, const std::vector<std::int64_t>& begin,
                                      int step) {
  return std::span(items).subspan(at(begin[at(step)]), at(begin[at(step + 1)] - begin[at(step)]));
}

class ProgramCheck {
 public:
  ProgramCheck(const Schedule& schedule, std::span<const RankProgram> programs, ViolationLog& log)
      : schedule_(schedule), programs_(programs), log_(log) {}

  // On each link, the sends and the receives are the same moves in the same order.
  bool ends_match() {
    const std::vector<std::int32_t> sends = numbers_on_links(&RankProgram::sends, &Move::from, &Move::to);
    const std::vector<std::int32_t> receives = numbers_on_links(&RankProgram::receives, &Move::to, &Move::from);
    if (!matches_) return false;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const Move& m = schedule_.moves[i];
      if (m.to == nobody || (sends[i] == receives[i] && sends[i] > 0)) continue;
      const std::string number = "send " + std::to_string(sends[i]) + ", receive " + std::to_string(receives[i]);
      refuse(static_cast<std::int64_t>(i), sends[i] == 0 ? " that is never sent"
                                           : receives[i] == 0
                                               ? " that is never received"
                                               : " in another order at its two ends: " + number + " of the link");
      return false;
    }
    return true;
  }

  void no_wait_cycle() {
    step_.assign(programs_.size(), -1);
    waiting_.assign(programs_.size(), 0);
    posted_.assign(schedule_.moves.size(), false);
    for (std::size_t r = 0; r < programs_.size(); ++r) ready_.push_back(static_cast<int>(r));
    while (!ready_.empty()) {
      const int rank = ready_.back();
      ready_.pop_back();
      if (++step_[at(rank)] < schedule_.steps()) post(rank);
    }
    for (std::size_t r = 0; r < programs_.size(); ++r) {
      if (step_[r] < schedule_.steps()) return report_cycle(static_cast<int>(r));
    }
  }

 private:
  void refuse(std::int64_t move, const std::string& why) {
    const Move& m = schedule_.moves[at(move)];
    int step = 0;
    while (step + 1 < schedule_.steps() && schedule_.first_move(step + 1) <= move) ++step;
    log_.add(Rule::match, step, m.from, m.slice(), "has a move of", " to rank " + std::to_string(m.to) + why);
    matches_ = false;
  }

  // For each move its place, from 1, among the moves of its link as one end lists them; 0: not listed.
  std::vector<std::int32_t> numbers_on_links(std::vector<std::int64_t> RankProgram::*list, std::int32_t Move::*self,
                                             std::int32_t Move::*peer) {
    std::vector<std::int32_t> numbers(schedule_.moves.size()), seen(programs_.size());
    for (std::size_t r = 0; r < programs_.size(); ++r) {
      std::fill(seen.begin(), seen.end(), 0);
      for (const std::int64_t i : programs_[r].*list) {
        const Move& m = schedule_.moves[at(i)];
        if (m.to == nobody || m.*self != static_cast<std::int32_t>(r) || numbers[at(i)] != 0) {
          refuse(i, " that rank " + std::to_string(r) + " posts, wrongly or twice");
          return numbers;
        }
        numbers[at(i)] = ++seen[at(m.*peer)];
      }
    }
    return numbers;
  }

  std::span<const std::int64_t> sends(int rank) const {
    const RankProgram& p = programs_[at(rank)];
    return of_step(p.sends, p.send_begin, step_[at(rank)]);
  }
  std::span<const std::int64_t> receives(int rank) const {
    const RankProgram& p = programs_[at(rank)];
    return of_step(p.receives, p.receive_begin, step_[at(rank)]);
  }

  void post(int rank) {
    waiting_[at(rank)] += static_cast<std::int64_t>(sends(rank).size() + receives(rank).size());
    for (const std::int64_t i : sends(rank)) post_end(i, rank, schedule_.moves[at(i)].to);
    for (const std::int64_t i : receives(rank)) post_end(i, rank, schedule_.moves[at(i)].from);
    if (waiting_[at(rank)] == 0) ready_.push_back(rank);
  }
  // Both ends list a link's moves in the same order, so the earlier ones have passed when both have posted this one.
  void post_end(std::int64_t move, int rank, int peer) {
    if (!posted_[at(move)]) {
      posted_[at(move)] = true;
      return;
    }
    --waiting_[at(rank)];
    if (--waiting_[at(peer)] == 0) ready_.push_back(peer);
  }

  // A move of a stuck rank that its peer has not posted: both have not posted it, or it would have passed.
  std::int64_t waits_for(int rank) const {
    const auto posted_by = [&](int peer, std::int64_t move, bool receives) {
      const RankProgram& p = programs_[at(peer)];
      const auto& list = receives ? p.receives : p.sends;
      const auto& begin = receives ? p.receive_begin : p.send_begin;
      const auto posted = list.begin() + begin[at(std::min(step_[at(peer)] + 1, schedule_.steps()))];
      return std::find(list.begin(), posted, move) != posted;
    };
    for (const std::int64_t i : sends(rank)) {
      if (!posted_by(schedule_.moves[at(i)].to, i, true)) return i;
    }
    for (const std::int64_t i : receives(rank)) {
      if (!posted_by(schedule_.moves[at(i)].from, i, false)) return i;
    }
    ensure(false, "a stuck rank waits for somebody");
    return 0;
  }

  void report_cycle(int rank) {
    std::vector<int> seen;
    const auto peer = [&](int r) {
      const Move& m = schedule_.moves[at(waits_for(r))];
      return m.from == r ? m.to : m.from;
    };
    for (; std::ranges::find(seen, rank) == seen.end(); rank = peer(rank)) seen.push_back(rank);
    std::string who;
    for (auto r = std::ranges::find(seen, rank); r != seen.end(); ++r) {
      const Slice slice = schedule_.moves[at(waits_for(*r))].slice();
      who += "rank " + std::to_string(*r) + " at step " + std::to_string(step_[at(*r)]) + " waits, for " +
             to_text(slice) + ", for ";
    }
    log_.add(Rule::wait_cycle, step_[at(rank)], rank, who + "rank " + std::to_string(rank));
  }

  const Schedule& schedule_;
  std::span<const RankProgram> programs_;
  ViolationLog& log_;
  bool matches_ = true;
  std::vector<int> ready_, step_;      // ranks whose step is over; [rank]
  std::vector<std::int64_t> waiting_;  // [rank]: messages of its step that have not passed
  std::vector<bool> posted_;           // [move]: one end has posted it
};

}  // namespace

void check_programs(const Schedule& schedule, std::span<const RankProgram> programs, ViolationLog& log) {
  ProgramCheck check(schedule, programs, log);
  if (check.ends_match()) check.no_wait_cycle();
}

}  // namespace ringscope
