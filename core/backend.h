// Something that really moves, attends and finishes. A backend never sees the name of a schedule or a layout.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/data.h"
#include "core/plan.h"
#include "core/run_log.h"
#include "core/trace.h"
#include "core/watch.h"

namespace ringscope {

struct Mishap;  // core/faults/mishap.h

struct BackendInfo {
  std::string name;      // the word of the case line: "cpu:bitwise"
  std::string sentence;  // what it is, for `ringscope list backends`
};

// "yes", or "no, because ...".
struct Support {
  bool yes = true;
  std::string because;
};

// What one rank hands in for a step: indices into plan.schedule.moves.
struct Posting {
  int step = 0;
  std::span<const std::int64_t> sends, receives;
};

struct RunOptions {
  double deadline_seconds = 30;  // without progress anywhere
  enum class Record { nothing, snapshots, snapshots_and_rows } record = Record::nothing;
  int cores = 0;                         // that this run may use, if the backend chooses its threads; 0: all
  TellDone tell;                         // after each step of rank 0
  std::shared_ptr<const Mishap> mishap;  // what to compute wrongly; backends that cannot say so
};

// One rank of an opened plan. Every call but wait, download and snapshot may return before the work is done.
// A fault of the world is an Error(fault) thrown by whichever call notices; every rank throws the same first error.
class RankRun {
 public:
  virtual ~RankRun() = default;
  virtual void upload(const Inputs& inputs) = 0;  // takes this rank's rows of the global tensors
  virtual void post(const Posting& posting) = 0;  // this step's sends and receives together
  virtual void attend(std::int64_t attend_index) = 0;
  virtual void finish(std::int64_t finish_index) = 0;
  virtual void finish_step(int step) = 0;             // landings due now, in list order; then gives and drops
  virtual void wait(double deadline_seconds) = 0;     // until all ranks have done all of the above
  virtual void download(Outputs& outputs) const = 0;  // writes this rank's rows into the global tensors
  virtual Snapshot snapshot(int step) const = 0;      // of what the rank holds after finish_step(step)
  // This rank's share of the sink logit's gradient, [Hq]; empty without the term or the backward. execute() sums the
  // shares in rank order.
  virtual std::vector<double> sink_gradient() const = 0;
  virtual void pause(double seconds) = 0;  // does nothing for so long: how a stall is planted
};

// One opened plan: it makes the ranks, lets `drive` run once for each in the backend's own manner (threads, streams,
// processes), and rethrows the first error.
class Session {
 public:
  virtual ~Session() = default;
  virtual void for_each_rank(const std::function<void(int rank, RankRun& run)>& drive) = 0;
  virtual Trace trace() const = 0;
  virtual std::vector<RowEvent> row_events() const = 0;      // empty unless recorded by a kernel that can
  virtual std::vector<std::int64_t> peak_bytes() const = 0;  // [rank], as measured
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendInfo info() const = 0;
  virtual Support supports(const Problem& problem, const Schedule& schedule) const = 0;
  virtual bool can_misbehave() const { return false; }  // asks RunOptions::mishap at its seams
  // The plan must outlive the session.
  virtual std::unique_ptr<Session> open(const Plan& plan, const RunOptions& options) = 0;
};

}  // namespace ringscope
