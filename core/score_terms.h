// From q.k to the score, and back: scale, softcap, ALiBi, in this order. Masks and dropout are not scores.
#pragma once
#include <cmath>
#include <cstdint>

#include "core/math.h"
#include "core/problem.h"

namespace ringscope {

// 2^(-8 (h + 1) / Hq) for query head h (Press et al. 2021, for any Hq); 0 without ALiBi.
inline double alibi_slope(const Problem& problem, std::int64_t head) {
  if (!problem.terms.alibi) return 0;
  return math::exp2(-8 * static_cast<double>(head + 1) / static_cast<double>(problem.heads_q));
}

// The terms of one query head.
template <class Real>
struct HeadTerms {
  Real scale = 1;
  Real softcap = 0;  // 0 is off
  Real slope = 0;    // 0 is off

  HeadTerms(const Problem& problem, std::int64_t head)
      : scale(static_cast<Real>(problem.scale())),
        softcap(static_cast<Real>(problem.terms.softcap)),
        slope(static_cast<Real>(alibi_slope(problem, head))) {}

  bool only_scale() const { return softcap == 0 && slope == 0; }

  // distance = j - p, the key's position less the query's.
  Real score(Real dot, std::int64_t distance) const {
    Real s = scale * dot;
    if (softcap != 0) s = softcap * math::tanh(s / softcap);
    if (slope != 0) s = std::fma(slope, static_cast<Real>(distance), s);
    return s;
  }

  // d score / d dot.
  Real derivative(Real dot) const {
    if (softcap == 0) return scale;
    const Real t = math::tanh(scale * dot / softcap);
    return scale * std::fma(-t, t, Real(1));
  }
};

}  // namespace ringscope
