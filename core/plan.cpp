#include "core/plan.h"

#include "core/error.h"

namespace ringscope {

namespace {

// Bytes of one row of one head of one batch item.
std::int64_t row_bytes(const Problem& p, TensorKind tensor) {
  const std::int64_t in = bytes_of(p.type), out = bytes_of(output_type(p.type)), acc = accumulator_bytes(p.type);
  switch (tensor) {
    case TensorKind::q:
      return p.dim_qk * in;
    case TensorKind::kv:
      return (p.dim_qk + p.dim_v) * in;
    case TensorKind::state:  // m, l, O
      return (p.dim_v + 2) * acc;
    case TensorKind::out:  // O, LSE
      return p.dim_v * out + acc;
    case TensorKind::d_o:
      return p.dim_v * out;
    case TensorKind::stats:  // LSE, delta
      return 2 * acc;
    case TensorKind::dq:
      return p.dim_qk * acc;
    case TensorKind::dkv:
      return (p.dim_qk + p.dim_v) * acc;
  }
  ensure(false, "a known tensor");
  return 0;
}

}  // namespace

std::int64_t Plan::rows(const Slice& slice) const {
  std::int64_t n = 0;
  for (std::int32_t i = 0; i < slice.blocks.count; ++i) n += layout.rows(side_of(slice.tensor), slice.blocks.at(i));
  return n;
}

std::int64_t Plan::bytes(const Slice& slice) const {
  return rows(slice) * slice.heads.count() * problem.batch * row_bytes(problem, slice.tensor);
}

}  // namespace ringscope
