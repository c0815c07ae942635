// When two elements of an output differ.
#pragma once
#include <cmath>

namespace ringscope {

// Finite in one alone, different infinities, or further apart than the tolerance. Two NaN agree.
inline bool differs(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a != b;
  return std::abs(a - b) > tolerance;
}

}  // namespace ringscope
