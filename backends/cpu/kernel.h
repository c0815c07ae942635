// What a CPU kernel is: one Attend, forward or backward, on blocks that lie in memory. It knows no mask, no schedule,
// no layout and no RoPE (Q and K come turned already; dQ and dK stay turned until they are home).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/attend_view.h"
#include "core/problem.h"
#include "core/run_log.h"

namespace ringscope::cpu {

// One Attend. Pointers run [head of the attend's range][block of the slice]; blocks without rows are left out on both
// sides, so entry h * blocks + n belongs to the n-th block that has rows. Real is double for f64, else float.
template <class Real>
struct AttendCall {
  const Problem& problem;
  const AttendView& view;  // local rows and keys run through the blocks in this order
  std::uint64_t dropout_seed = 0;
  int rank = 0, step = 0;  // for row events and the sentences of errors alone
  Slice kv_slice;          // the same
  Heads q_heads, kv_heads;
  std::vector<std::int64_t> q_rows, kv_rows;  // [blocks] rows of each block

  std::vector<const Real*> q;   // each -> [B, rows, Dqk]
  std::vector<const Real*> kv;  // each -> K [B, rows, Dqk], then V [B, rows, Dv]
  std::vector<Real*> state;  // forward; each -> m [B, rows], l [B, rows], O [B, rows, Dv]; m = -inf, l = 0 when empty
  std::vector<const Real*> d_o;    // backward; each -> [B, rows, Dv]
  std::vector<const Real*> stats;  // backward; each -> LSE [B, rows], delta [B, rows]
  std::vector<Real*> dq;           // backward; each -> [B, rows, Dqk], added to
  std::vector<Real*> dkv;          // backward; each -> dK [B, rows, Dqk], then dV [B, rows, Dv], added to
};

struct KernelOptions {
  int threads = 1;  // per rank
  int tile = 64;    // rows and keys per tile
};

// Collects row events; null for kernels or runs that record none.
using RowEvents = std::vector<RowEvent>;

template <class Real>
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void forward(const AttendCall<Real>& call, RowEvents* events) const = 0;
  virtual void backward(const AttendCall<Real>& call) const = 0;
};

struct KernelKind {
  std::string_view name, sentence;  // "naive", "bitwise", "eigen"
  std::unique_ptr<Kernel<float>> (*make_float)(const KernelOptions&);
  std::unique_ptr<Kernel<double>> (*make_double)(const KernelOptions&);
  bool records_rows = false;
};
std::span<const KernelKind> kernel_kinds();  // kernel_kinds.cpp; the first is the default

}  // namespace ringscope::cpu
