#include "backends/cpu/world.h"

#include <algorithm>

namespace ringscope::cpu {

World::World(const Plan& plan, const WorldOptions& options, Clock& clock)
    : plan_(plan),
      options_(options),
      clock_(clock),
      ranks_(static_cast<std::size_t>(plan.layout.ranks)),
      messages_(plan.schedule.moves.size()) {}

void World::start() {
  const Lock lock(mutex_);
  for (Rank& rank : ranks_) {
    rank.doing = Doing::running;
    rank.has_arrived = false;
  }
  running_ = plan_.layout.ranks;
  arrived_ = 0;
  progress();
}

void World::leave(int rank) {
  const Lock lock(mutex_);
  rank_of(rank).doing = Doing::gone;
  if (--running_ == 0) settle();
}

void World::enter(int rank, int step) {
  const Lock lock(mutex_);
  throw_if_failed();
  rank_of(rank).step = step;
  progress();
}

Transit World::send(std::int64_t move) {
  const Lock lock(mutex_);
  throw_if_failed();
  progress();
  const Move& m = move_of(move);
  Message& message = messages_[static_cast<std::size_t>(move)];
  message.sent_seconds = message.arrives_seconds = clock_.now_seconds();
  if (options_.link_bytes_per_second > 0) {
    double& free_from = link_free_from_[{m.from, m.to}];
    const double begin = std::max(message.sent_seconds, free_from);
    message.arrives_seconds = begin + static_cast<double>(plan_.bytes(m.slice())) / options_.link_bytes_per_second;
    free_from = message.arrives_seconds;
  }
  message.sent = true;
  Rank& receiver = rank_of(m.to);
  if (receiver.doing == Doing::waiting && receiver.waits_for == move) wake(receiver);
  return {message.sent_seconds, message.arrives_seconds};
}

Transit World::receive(std::int64_t move) {
  Lock lock(mutex_);
  Rank& rank = rank_of(move_of(move).to);
  const Message& message = messages_[static_cast<std::size_t>(move)];
  Transit transit;
  for (;;) {
    throw_if_failed();
    if (message.sent && message.arrives_seconds <= clock_.now_seconds()) break;
    if (!message.sent) check_deadline(options_.deadline_seconds);
    transit.waited = true;
    rank.waits_for = move;
    block(lock, rank, Doing::waiting,
          message.sent ? message.arrives_seconds : last_progress_seconds_ + options_.deadline_seconds);
  }
  rank.waits_for = -1;
  progress();
  transit.sent_seconds = message.sent_seconds;
  transit.arrived_seconds = message.arrives_seconds;
  return transit;
}

void World::pause(int rank, double seconds) {
  Lock lock(mutex_);
  const double end = clock_.now_seconds() + seconds;
  for (;;) {
    throw_if_failed();
    if (clock_.now_seconds() >= end) break;
    check_deadline(options_.deadline_seconds);
    block(lock, rank_of(rank), Doing::paused, std::min(end, last_progress_seconds_ + options_.deadline_seconds));
  }
}

void World::arrive(int rank, double deadline_seconds) {
  Lock lock(mutex_);
  throw_if_failed();
  progress();
  rank_of(rank).has_arrived = true;
  if (++arrived_ == plan_.layout.ranks) {
    for (Rank& other : ranks_) {
      if (other.doing == Doing::arrived) wake(other);
    }
    return;
  }
  while (arrived_ < plan_.layout.ranks) {
    block(lock, rank_of(rank), Doing::arrived, last_progress_seconds_ + deadline_seconds);
    throw_if_failed();
    if (arrived_ < plan_.layout.ranks) check_deadline(deadline_seconds);
  }
}

void World::fail(const RankError& error) {
  const Lock lock(mutex_);
  fail_locked(error);
}

std::optional<RankError> World::error() {
  const Lock lock(mutex_);
  return error_;
}

int World::step_of(std::int64_t move) const {
  const auto& steps = plan_.schedule.step_begin;
  const auto after = std::upper_bound(steps.begin(), steps.end(), move,
                                      [](std::int64_t m, const StepBegin& begin) { return m < begin.move; });
  return static_cast<int>(after - steps.begin()) - 1;
}

void World::throw_if_failed() const {
  if (error_) throw RankError(*error_);
}

void World::fail_locked(const RankError& error) {
  if (!error_) error_ = error;
  for (Rank& rank : ranks_) {
    if (rank.doing != Doing::running && rank.doing != Doing::gone) wake(rank);
  }
}

void World::block(Lock& lock, Rank& rank, Doing doing, double wake_seconds) {
  rank.doing = doing;
  rank.wake_seconds = wake_seconds;
  if (--running_ == 0) settle();
  if (rank.doing != Doing::running) clock_.wait(rank.signal, lock, wake_seconds);
  if (rank.doing != Doing::running) {  // the time is up, or it woke early
    rank.doing = Doing::running;
    ++running_;
  }
}

void World::wake(Rank& rank) {
  rank.doing = Doing::running;
  ++running_;
  rank.signal.notify_one();
}

bool World::in_flight() const {
  return std::ranges::any_of(ranks_, [this](const Rank& rank) {
    return rank.doing == Doing::paused ||
           (rank.doing == Doing::waiting && messages_[static_cast<std::size_t>(rank.waits_for)].sent);
  });
}

void World::settle() {
  const bool all_gone = std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.doing == Doing::gone; });
  if (error_ || all_gone) return;
  if (!in_flight()) {
    fail_locked(nothing_can_move());
    return;
  }
  double next = forever;
  for (const Rank& rank : ranks_) {
    if (rank.doing != Doing::gone) next = std::min(next, rank.wake_seconds);
  }
  if (!clock_.jump_to(std::max(next, clock_.now_seconds()))) return;
  for (Rank& rank : ranks_) {
    if (rank.doing != Doing::gone && rank.wake_seconds <= next) wake(rank);
  }
}

// A message that is on its way is progress, however slow its link.
void World::check_deadline(double deadline_seconds) {
  if (clock_.now_seconds() < last_progress_seconds_ + deadline_seconds) return;
  const auto on_its_way = [this](const Message& m) { return m.sent && m.arrives_seconds > clock_.now_seconds(); };
  const int stalled = stalled_rank();
  if (stalled < 0 || (options_.link_bytes_per_second > 0 && std::ranges::any_of(messages_, on_its_way))) {
    progress();
    return;
  }
  fail_locked(no_progress(stalled, deadline_seconds));
  throw_if_failed();
}

}  // namespace ringscope::cpu
