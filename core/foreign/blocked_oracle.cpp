#include "core/foreign/blocked_oracle.h"

#include "core/foreign/tiled_attention.h"
#include "core/foreign/units.h"

namespace ringscope {

namespace {

std::span<const double> head_of(const Tensor& x, std::int64_t b, std::int64_t h) {
  if (x.empty()) return {};
  return std::span(x.values).subspan(static_cast<std::size_t>(x.offset(b, h, 0)),
                                     static_cast<std::size_t>(x.shape.rows * x.shape.dim));
}

void put(std::span<const double> rows, std::int64_t b, std::int64_t h, Tensor& into) {
  std::copy(rows.begin(), rows.end(), into.values.begin() + into.offset(b, h, 0));
}

}  // namespace

Outputs blocked_oracle(const Problem& problem, const Inputs& inputs, int threads) {
  const bool backward = problem.has_backward();
  Outputs out;
  out.o = Tensor(problem.shape_o()), out.lse = Tensor(problem.shape_lse());
  if (backward) {
    out.dq = Tensor(problem.shape_q()), out.dk = Tensor(problem.shape_k()), out.dv = Tensor(problem.shape_v());
  }
  for_each_unit(problem.batch * problem.heads_kv, threads, [&](std::int64_t unit) {
    const std::int64_t b = unit / problem.heads_kv, h_kv = unit % problem.heads_kv;
    TiledAttention<double> attention(problem, inputs, {}, Floors::ignore);
    attention.take_keys(b, head_of(inputs.k, b, h_kv), head_of(inputs.v, b, h_kv));
    for (std::int64_t h = h_kv * problem.group(); h < (h_kv + 1) * problem.group(); ++h) {
      attention.attend(h, head_of(inputs.q, b, h), head_of(inputs.d_o, b, h), [](std::int64_t) {});
      put(attention.o(), b, h, out.o), put(attention.lse(), b, h, out.lse);
      if (backward) put(attention.dq(), b, h, out.dq);
    }
    attention.finish_keys();
    if (backward) put(attention.dk(), b, h_kv, out.dk), put(attention.dv(), b, h_kv, out.dv);
  });
  return out;
}

}  // namespace ringscope
