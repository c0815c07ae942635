#include "backends/cpu/landing.h"

#include "core/state.h"

namespace ringscope::cpu {

template <class Real>
void merge_state(Real* into, const Real* from, std::int64_t rows, std::int64_t dim_v) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t o = 2 * rows + r * dim_v;
    StateRow<Real>{into[r], into[rows + r], into + o, dim_v}.merge(from[r], from[rows + r], from + o);
  }
}

template <class Real>
void add_to(Real* into, const Real* from, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) into[i] += from[i];
}

template <class Real>
void finish_state(const Real* state, std::int64_t rows, std::int64_t dim_v, std::optional<Real> sink_logit,
                  ElementType output, Real* out) {
  for (std::int64_t r = 0; r < rows; ++r) {
    Real m = state[r], l = state[rows + r];
    Real* o = out + r * dim_v;
    for (std::int64_t d = 0; d < dim_v; ++d) o[d] = state[2 * rows + r * dim_v + d];
    const StateRow<Real> row{m, l, o, dim_v};
    if (sink_logit) row.absorb_sink(*sink_logit);
    out[rows * dim_v + r] = row.finish();
    for (std::int64_t d = 0; d < dim_v; ++d) o[d] = static_cast<Real>(round_to(output, o[d]));
  }
}

template <class Real>
void finish_stats(const Real* out, const Real* d_o, std::int64_t rows, std::int64_t dim_v, Real* stats) {
  for (std::int64_t r = 0; r < rows; ++r) {
    Real delta = 0;
    for (std::int64_t d = 0; d < dim_v; ++d) delta = std::fma(d_o[r * dim_v + d], out[r * dim_v + d], delta);
    stats[r] = out[rows * dim_v + r];
    stats[rows + r] = delta;
  }
}

template <class Real>
Real sink_gradient(const Real* stats, std::int64_t rows, Real sink_logit) {
  Real sum = 0;
  for (std::int64_t r = 0; r < rows; ++r) sum = std::fma(-math::exp(sink_logit - stats[r]), stats[rows + r], sum);
  return sum;
}

template void merge_state(float*, const float*, std::int64_t, std::int64_t);
template void merge_state(double*, const double*, std::int64_t, std::int64_t);
template void add_to(float*, const float*, std::int64_t);
template void add_to(double*, const double*, std::int64_t);
template void finish_state(const float*, std::int64_t, std::int64_t, std::optional<float>, ElementType, float*);
template void finish_state(const double*, std::int64_t, std::int64_t, std::optional<double>, ElementType, double*);
template void finish_stats(const float*, const float*, std::int64_t, std::int64_t, float*);
template void finish_stats(const double*, const double*, std::int64_t, std::int64_t, double*);
template float sink_gradient(const float*, std::int64_t, float);
template double sink_gradient(const double*, std::int64_t, double);

}  // namespace ringscope::cpu
