// One rank: a store, a kernel and a place in the world. Its thread alone touches it while it runs.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "backends/cpu/attend_call.h"
#include "backends/cpu/kernel.h"
#include "backends/cpu/store.h"
#include "backends/cpu/turning.h"
#include "backends/cpu/world.h"
#include "backends/cpu/wrongly.h"
#include "core/backend.h"

namespace ringscope::cpu {

// What the ranks of one run share.
template <class Real>
struct Shared {
  const Plan& plan;
  RunOptions options;
  std::unique_ptr<Kernel<Real>> kernel;
  bool records_rows = false;
  World world;
  Turning<Real> turning;
  // [move] what is on its way; written by the sender before world.send, read by the receiver after world.receive.
  std::vector<std::vector<Buffer<Real>>> payloads;
};

template <class Real>
class CpuRank : public RankRun {
 public:
  CpuRank(Shared<Real>& shared, int rank);

  void upload(const Inputs& inputs) override;
  void post(const Posting& posting) override;
  void attend(std::int64_t attend_index) override;
  void finish(std::int64_t finish_index) override;
  void finish_step(int step) override;
  void wait(double deadline_seconds) override { shared_.world.arrive(rank_, deadline_seconds); }
  void download(Outputs& outputs) const override;
  Snapshot snapshot(int step) const override;
  std::vector<double> sink_gradient() const override { return {d_sink_.begin(), d_sink_.end()}; }
  void pause(double seconds) override { shared_.world.pause(rank_, seconds); }

  const std::vector<TraceEvent>& events() const { return events_; }
  const RowEvents& row_events() const { return row_events_; }
  std::int64_t peak_bytes() const { return store_.peak_bytes(); }
  Moment now() const { return {rank_, step_}; }

 private:
  std::vector<Buffer<Real>> take(const Move& move);
  void land(const Move& move, std::vector<Buffer<Real>> payload);
  void combine(const Move& move, const Atom& atom, Buffer<Real> brought);
  void finish_forward(const Atom& out, std::uint16_t slot);
  void finish_backward(const Atom& out, std::uint16_t slot);
  void leave_behind(std::int64_t move);
  void record(TraceEvent event, double begin_seconds);

  Shared<Real>& shared_;
  const Plan& plan_;
  int rank_, step_ = 0;
  Store<Real> store_;
  std::optional<Wrongly<Real>> wrongly_;  // with RunOptions::mishap
  std::vector<double> sink_logit_;
  std::uint64_t dropout_seed_ = 0;
  std::vector<Real> d_sink_;                           // [Hq]
  std::vector<std::vector<std::int64_t>> landings_;    // [step] moves that land at its end, in list order
  std::vector<std::vector<std::int64_t>> departures_;  // [step] gives and drops of its end
  std::vector<double> posted_seconds_;                 // [step]
  std::vector<TraceEvent> events_;
  RowEvents row_events_;
};

extern template class CpuRank<float>;
extern template class CpuRank<double>;

}  // namespace ringscope::cpu
