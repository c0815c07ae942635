// Attention as loops: one row meets one key after another. The other kernels do the same work in another order or, in
// the case of `bitwise`, in the same order but several rows or keys at a time.
#include "backends/cpu/call_rows.h"
#include "backends/cpu/kernels.h"

namespace ringscope::cpu {

namespace {

template <class Real>
Real dot(const Real* a, const Real* b, std::int64_t size) {
  Real sum = 0;
  for (std::int64_t d = 0; d < size; ++d) sum = std::fma(a[d], b[d], sum);
  return sum;
}

// y += a x
template <class Real>
void add_scaled(Real a, const Real* x, std::int64_t size, Real* y) {
  for (std::int64_t d = 0; d < size; ++d) y[d] = std::fma(a, x[d], y[d]);
}

// Calls visit(key block, row in the block, local key) for every key that the row sees, ascending.
template <class Real, class Visit>
void for_each_key(const AttendCall<Real>& call, const std::vector<KeyRows<Real>>& blocks, std::int64_t batch,
                  std::int64_t row, const Visit& visit) {
  for (const LocalSpan& span : call.view.spans(batch, row)) {
    for (const KeyRows<Real>& block : blocks) {
      const std::int64_t begin = std::max<std::int64_t>(span.begin, block.first);
      const std::int64_t end = std::min<std::int64_t>(span.end, block.first + block.rows);
      for (std::int64_t key = begin; key < end; ++key) visit(block, key - block.first, key);
    }
  }
}

template <class Real>
class NaiveKernel final : public Kernel<Real> {
 public:
  void forward(const AttendCall<Real>& call, RowEvents* events) const override {
    for (std::int64_t batch = 0; batch < call.problem.batch; ++batch) {
      for (std::int64_t head = 0; head < call.q_heads.count(); ++head) {
        const auto keys = key_rows(call, batch, kv_head_of(call, head));
        for (const QueryRows<Real>& queries : query_rows(call, batch, head)) {
          for (std::int64_t r = 0; r < queries.rows; ++r) forward_row(call, batch, head, queries, r, keys, events);
        }
      }
    }
  }

  // dK and dV of a key grow by query head, then by query; dQ of a query grows by key.
  void backward(const AttendCall<Real>& call) const override {
    for (std::int64_t batch = 0; batch < call.problem.batch; ++batch) {
      for (std::int64_t head = 0; head < call.q_heads.count(); ++head) {
        const auto keys = key_rows(call, batch, kv_head_of(call, head));
        for (const QueryRows<Real>& queries : query_rows(call, batch, head)) {
          for (std::int64_t r = 0; r < queries.rows; ++r) backward_row(call, batch, head, queries, r, keys);
        }
      }
    }
  }

 private:
  static void forward_row(const AttendCall<Real>& call, std::int64_t batch, std::int64_t head,
                          const QueryRows<Real>& queries, std::int64_t r, const std::vector<KeyRows<Real>>& keys,
                          RowEvents* events) {
    const std::int64_t dim_qk = call.problem.dim_qk, dim_v = call.problem.dim_v, row = queries.first + r;
    const HeadTerms<Real> terms(call.problem, call.q_heads.begin + head);
    DropoutRow<Real> dropout(call, batch, head, row);
    const StateRow<Real> state{queries.m[r], queries.l[r], queries.o + r * dim_v, dim_v};
    for_each_key(call, keys, batch, row, [&](const KeyRows<Real>& block, std::int64_t at, std::int64_t key) {
      const std::int64_t j = call.view.kv_positions()[static_cast<std::size_t>(key)];
      const Real s =
          terms.score(dot(queries.q + r * dim_qk, block.k + at * dim_qk, dim_qk), j - call.view.key_position(row));
      state.absorb(s, block.v + at * dim_v, dropout.kept(key));
      if (events == nullptr) return;
      events->push_back({.rank = call.rank,
                         .step = call.step,
                         .batch = batch,
                         .head = call.q_heads.begin + head,
                         .query = call.view.q_positions()[static_cast<std::size_t>(row)],
                         .key = j,
                         .score = s,
                         .m = state.m,
                         .l = state.l});
    });
  }

  static void backward_row(const AttendCall<Real>& call, std::int64_t batch, std::int64_t head,
                           const QueryRows<Real>& queries, std::int64_t r, const std::vector<KeyRows<Real>>& keys) {
    const std::int64_t dim_qk = call.problem.dim_qk, dim_v = call.problem.dim_v, row = queries.first + r;
    const HeadTerms<Real> terms(call.problem, call.q_heads.begin + head);
    DropoutRow<Real> dropout(call, batch, head, row);
    const Real* q = queries.q + r * dim_qk;
    const Real* d_o = queries.d_o + r * dim_v;
    for_each_key(call, keys, batch, row, [&](const KeyRows<Real>& block, std::int64_t at, std::int64_t key) {
      const std::int64_t j = call.view.kv_positions()[static_cast<std::size_t>(key)];
      const Real qk = dot(q, block.k + at * dim_qk, dim_qk);
      const Real p = math::exp(terms.score(qk, j - call.view.key_position(row)) - queries.lse[r]);
      const Real kept = dropout.kept(key);
      const Real dp = kept * dot(d_o, block.v + at * dim_v, dim_v);
      const Real ds = p * (dp - queries.delta[r]) * terms.derivative(qk);
      if (kept != 0) add_scaled(p * kept, d_o, dim_v, block.dv + at * dim_v);
      add_scaled(ds, q, dim_qk, block.dk + at * dim_qk);
      add_scaled(ds, block.k + at * dim_qk, dim_qk, queries.dq + r * dim_qk);
    });
  }
};

}  // namespace

template <class Real>
std::unique_ptr<Kernel<Real>> make_naive_kernel(const KernelOptions&) {
  return std::make_unique<NaiveKernel<Real>>();
}

template std::unique_ptr<Kernel<float>> make_naive_kernel(const KernelOptions&);
template std::unique_ptr<Kernel<double>> make_naive_kernel(const KernelOptions&);

}  // namespace ringscope::cpu
