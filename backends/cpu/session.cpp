#include "backends/cpu/session.h"

#include <algorithm>
#include <iterator>
#include <thread>

#include "backends/cpu/rank.h"

namespace ringscope::cpu {

namespace {

// What a rank's thread threw, as the error that every rank will throw.
template <class Real>
RankError rank_error(const std::exception_ptr& thrown, const Plan& plan, const CpuRank<Real>& rank) {
  const auto [r, step] = rank.now();
  const Slice slice = activity_of(plan.schedule, r, step);
  try {
    std::rethrow_exception(thrown);
  } catch (const RankError& e) {
    return e;
  } catch (const Error& e) {
    return {e.kind, r, step, slice, e.got, e.want, e.fix};
  } catch (const std::exception& e) {
    return {ErrorKind::fault, r, step, slice, "the rank died: " + std::string(e.what()), "a run without exceptions"};
  } catch (...) {
    return {ErrorKind::fault, r, step, slice, "the rank died of an unknown exception", "a run without exceptions"};
  }
}

template <class Real>
class CpuSession : public Session {
 public:
  CpuSession(const Plan& plan, const RunOptions& run, std::unique_ptr<Kernel<Real>> kernel, bool records_rows,
             const CpuOptions& cpu)
      : clock_(cpu.clock ? cpu.clock : std::make_shared<RealClock>()),
        shared_{plan,
                run,
                std::move(kernel),
                records_rows && run.record == RunOptions::Record::snapshots_and_rows,
                World(plan, {run.deadline_seconds, cpu.link_bytes_per_second}, *clock_),
                Turning<Real>(plan),
                std::vector<std::vector<Buffer<Real>>>(plan.schedule.moves.size())} {
    for (int r = 0; r < plan.layout.ranks; ++r) ranks_.push_back(std::make_unique<CpuRank<Real>>(shared_, r));
  }

  void for_each_rank(const std::function<void(int rank, RankRun& run)>& drive) override {
    shared_.world.start();
    {
      std::vector<std::jthread> threads;
      threads.reserve(ranks_.size());
      for (std::size_t r = 0; r < ranks_.size(); ++r) threads.emplace_back([this, &drive, r] { run_rank(drive, r); });
    }
    if (const auto error = shared_.world.error()) throw RankError(*error);
  }

  Trace trace() const override {
    Trace trace{.ranks = static_cast<int>(ranks_.size())};
    for (const auto& rank : ranks_) {
      const auto first = static_cast<std::ptrdiff_t>(trace.events.size());
      std::ranges::copy(rank->events(), std::back_inserter(trace.events));
      std::ranges::stable_sort(trace.events.begin() + first, trace.events.end(), {}, &TraceEvent::begin_seconds);
    }
    return trace;
  }

  std::vector<RowEvent> row_events() const override {
    std::vector<RowEvent> all;
    for (const auto& rank : ranks_) std::ranges::copy(rank->row_events(), std::back_inserter(all));
    return all;
  }

  std::vector<std::int64_t> peak_bytes() const override {
    std::vector<std::int64_t> peaks;
    for (const auto& rank : ranks_) peaks.push_back(rank->peak_bytes());
    return peaks;
  }

 private:
  void run_rank(const std::function<void(int rank, RankRun& run)>& drive, std::size_t r) {
    try {
      drive(static_cast<int>(r), *ranks_[r]);
    } catch (...) {
      shared_.world.fail(rank_error(std::current_exception(), shared_.plan, *ranks_[r]));
    }
    shared_.world.leave(static_cast<int>(r));
  }

  std::shared_ptr<Clock> clock_;
  Shared<Real> shared_;
  std::vector<std::unique_ptr<CpuRank<Real>>> ranks_;
};

}  // namespace

template <class Real>
std::unique_ptr<Session> open_session(const Plan& plan, const RunOptions& run, std::unique_ptr<Kernel<Real>> kernel,
                                      bool records_rows, const CpuOptions& cpu) {
  return std::make_unique<CpuSession<Real>>(plan, run, std::move(kernel), records_rows, cpu);
}

template std::unique_ptr<Session> open_session(const Plan&, const RunOptions&, std::unique_ptr<Kernel<float>>, bool,
                                               const CpuOptions&);
template std::unique_ptr<Session> open_session(const Plan&, const RunOptions&, std::unique_ptr<Kernel<double>>, bool,
                                               const CpuOptions&);

}  // namespace ringscope::cpu
