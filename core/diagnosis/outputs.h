// Outputs by name, and when two of their elements differ.
#pragma once
#include <cmath>

#include "core/data.h"
#include "core/report.h"

namespace ringscope {

inline Tensor& tensor_of(Outputs& outputs, Output output) {
  switch (output) {
    case Output::o:
      return outputs.o;
    case Output::lse:
      return outputs.lse;
    case Output::dq:
      return outputs.dq;
    case Output::dk:
      return outputs.dk;
    case Output::dv:
      return outputs.dv;
  }
  return outputs.o;
}
inline const Tensor& tensor_of(const Outputs& outputs, Output output) {
  return tensor_of(const_cast<Outputs&>(outputs), output);
}

// Finite in one alone, different infinities, or further apart than the tolerance. Two NaN agree.
inline bool differs(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a != b;
  return std::abs(a - b) > tolerance;
}

}  // namespace ringscope
