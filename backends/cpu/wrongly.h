// One rank's steps as a Mishap has them. Everything the Mishap does not touch is done by the same kernels and landings.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/attend_call.h"
#include "backends/cpu/kernel.h"
#include "core/faults/mishap.h"

namespace ringscope::cpu {

template <class Real>
class Wrongly {
 public:
  Wrongly(const Plan& plan, int rank, std::shared_ptr<const Mishap> mishap)
      : plan_(plan), rank_(rank), mishap_(std::move(mishap)) {}

  // Query head by query head, on copies of what is read.
  void attend(const Attend& attend, const AttendCall<Real>& call, const Kernel<Real>& kernel, RowEvents* events);
  // What a move brought: changes it.
  void land(const Atom& atom, int step, Buffer<Real>& brought);
  void add(const Atom& atom, int step, Buffer<Real>& into, const Buffer<Real>& brought) const;
  void merge(const Atom& atom, int step, Buffer<Real>& into, const Buffer<Real>& brought);
  // After finish_state and finish_stats.
  void finished(const Atom& out, int step, const Buffer<Real>& state, std::optional<Real> sink, Buffer<Real>& to);
  void stats_made(int step, Buffer<Real>& stats) const;

 private:
  struct HeadAttend;
  using BlockAndHead = std::pair<int, int>;
  using TensorAndHead = std::pair<TensorKind, int>;
  struct Memory {
    std::map<TensorAndHead, HeldBlock> earlier, latest;
    int step = -1;
    Pass pass = Pass::forward;
    void begin(int at, Pass of);
  };

  Spot spot(int step) const { return {plan_, rank_, step, plan_.schedule.pass(step)}; }
  bool happens(int step) const { return mishap_->happens_at(rank_, step); }
  const HeldBlock* before(const Memory& memory, TensorKind tensor, int head) const;
  Buffer<Real> read(TensorKind tensor, int block, int head, const Real* values, std::int64_t size, int step);
  AttendView seen(const Attend& attend, const AttendView& view, int step,
                  const std::function<bool(const Spot&, const MeetingPair&)>& sees) const;
  HeadAttend one_head(const Attend& attend, const AttendCall<Real>& call, int head, const Problem& problem,
                      const AttendView& view);
  std::vector<Buffer<Real>> alone(HeadAttend& head, const Kernel<Real>& kernel, RowEvents* events) const;
  void forward(HeadAttend& head, const Kernel<Real>& kernel, RowEvents* events);
  void backward(HeadAttend& head, const Kernel<Real>& kernel);
  // An Attend beside the right one: of the pairs that are picked, where a score is given all of that score.
  using Pick = std::function<bool(const Spot&, const MeetingPair&)>;
  struct Extra {
    Pick pick;
    std::optional<double> score;
  };
  void attend_extra(const Attend& attend, const AttendCall<Real>& call, const Kernel<Real>& kernel, int head,
                    const Problem& problem, const Extra& extra);
  void join_rows(const BlockAndHead& which, std::int64_t rows, Real* into, const Real* part, int step);

  const Plan& plan_;
  int rank_;
  std::shared_ptr<const Mishap> mishap_;
  Memory reads_, landings_;
  std::map<BlockAndHead, std::vector<int>> parts_;  // that each row's State has taken in, [B * rows]
};

extern template class Wrongly<float>;
extern template class Wrongly<double>;

}  // namespace ringscope::cpu
