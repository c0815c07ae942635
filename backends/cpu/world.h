// Who is where, what is on its way, who waits for what: the one place where rank threads block, so the one place that
// sees that nothing can go on.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/clock.h"
#include "core/plan.h"
#include "core/rank_error.h"

namespace ringscope::cpu {

struct WorldOptions {
  double deadline_seconds = 30;      // without progress anywhere
  double link_bytes_per_second = 0;  // of each ordered pair of ranks; 0: messages arrive at once
};

// When a message was on its way, and whether its receiver had to wait for it.
struct Transit {
  double sent_seconds = 0, arrived_seconds = 0;
  bool waited = false;
};

// Every call may throw the run's first RankError, the same on every rank.
class World {
 public:
  World(const Plan& plan, const WorldOptions& options, Clock& clock);

  void enter(int rank, int step);          // the rank begins a step
  Transit send(std::int64_t move);         // never blocks; the payload must be in place
  Transit receive(std::int64_t move);      // blocks until the move is here
  void pause(int rank, double seconds);    // blocks so long
  void arrive(int rank, double deadline);  // blocks until every rank has arrived
  void progress() { last_progress_seconds_ = clock_.now_seconds(); }
  double now_seconds() const { return clock_.now_seconds(); }

  void start();                       // all ranks run
  void leave(int rank);               // the rank's thread ends
  void fail(const RankError& error);  // wakes everybody; the first one stays
  std::optional<RankError> error();

 private:
  using Lock = std::unique_lock<std::mutex>;
  static constexpr double forever = std::numeric_limits<double>::infinity();

  enum class Doing : std::uint8_t { running, waiting, paused, arrived, gone };
  struct Rank {
    Doing doing = Doing::running;
    int step = -1;
    std::int64_t waits_for = -1;  // a move; set until the rank has seen it
    bool has_arrived = false;
    double wake_seconds = forever;  // when it goes on by itself
    std::condition_variable signal;
  };
  struct Message {
    bool sent = false;
    double sent_seconds = 0, arrives_seconds = 0;
  };

  Rank& rank_of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Move& move_of(std::int64_t move) const { return plan_.schedule.moves[static_cast<std::size_t>(move)]; }
  int step_of(std::int64_t move) const;
  void throw_if_failed() const;
  void fail_locked(const RankError& error);
  void block(Lock& lock, Rank& rank, Doing doing, double wake_seconds);
  void wake(Rank& rank);
  void settle();  // all ranks are blocked: something must happen, or nothing can
  void check_deadline(double deadline_seconds);
  bool in_flight() const;  // a message or a pause ends by itself
  RankError nothing_can_move() const;
  int stalled_rank() const;  // -1: all wait
  RankError no_progress(int stalled, double deadline_seconds) const;
  std::string who_waits(int but_not_rank) const;

  const Plan& plan_;
  WorldOptions options_;
  Clock& clock_;
  std::mutex mutex_;
  std::vector<Rank> ranks_;
  std::vector<Message> messages_;                         // by move
  std::map<std::pair<int, int>, double> link_free_from_;  // seconds; only with a link rate
  std::atomic<double> last_progress_seconds_ = 0;
  int running_ = 0, arrived_ = 0;
  std::optional<RankError> error_;
};

}  // namespace ringscope::cpu
