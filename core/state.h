// The running State of one query row: m the largest score so far, l = sum of exp(s - m), O = sum of exp(s - m) v.
// Milakov and Gimelshein 2018 (m, l); FlashAttention-2, algorithm 1 (O unnormalised until the end). The order of
// operations is numerics contract 2 (docs/design.md): these functions define the bits of the bitwise kernels.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/math.h"

namespace ringscope {

template <class Real>
inline constexpr Real no_score = -std::numeric_limits<Real>::infinity();

// A view of one row's State; `empty` is the identity of absorb and merge.
template <class Real>
struct StateRow {
  Real& m;
  Real& l;
  Real* o;  // [Dv]
  std::int64_t dim_v = 0;

  // Scores that are all NaN leave m where it was; then l is NaN.
  bool is_empty() const { return m == no_score<Real> && l == 0; }

  void clear() const {
    m = no_score<Real>;
    l = 0;
    for (std::int64_t d = 0; d < dim_v; ++d) o[d] = 0;
  }

  // One key. Dropout leaves l as it is without: `kept` scales the weight on v alone, 0 drops it.
  void absorb(Real score, const Real* v, Real kept = 1) const {
    if (score > m) raise_m(score);
    const Real p = math::exp(score - m);
    l += p;
    if (kept == 0) return;
    const Real weight = p * kept;
    for (std::int64_t d = 0; d < dim_v; ++d) o[d] = std::fma(weight, v[d], o[d]);
  }

  // Rescales l and O to a larger maximum.
  void raise_m(Real score) const {
    const Real factor = math::exp(m - score);
    m = score;
    l *= factor;
    for (std::int64_t d = 0; d < dim_v; ++d) o[d] *= factor;
  }

  // An empty State on either side leaves the other's bits as they are.
  void merge(Real from_m, Real from_l, const Real* from_o) const {
    if (from_m == no_score<Real> && from_l == 0) return;
    if (is_empty()) {
      m = from_m;
      l = from_l;
      for (std::int64_t d = 0; d < dim_v; ++d) o[d] = from_o[d];
      return;
    }
    if (from_m > m) raise_m(from_m);
    const Real factor = math::exp(from_m - m);
    l = std::fma(factor, from_l, l);
    for (std::int64_t d = 0; d < dim_v; ++d) o[d] = std::fma(factor, from_o[d], o[d]);
  }

  // A score without a value: the sink logit.
  void absorb_sink(Real logit) const {
    if (logit > m) raise_m(logit);
    l += math::exp(logit - m);
  }

  // O becomes the output row; returns the row's LSE. An empty row gives O = 0 and -inf.
  Real finish() const {
    if (is_empty()) return no_score<Real>;
    for (std::int64_t d = 0; d < dim_v; ++d) o[d] /= l;
    return m + math::log(l);
  }
};

}  // namespace ringscope
