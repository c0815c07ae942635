// Rounding of many numbers to a storage type, without branches: as round_to of core/element_type.h, value for value.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/element_type.h"

namespace ringscope {

namespace detail {

// Drops `bits` low bits of the mantissa, to nearest even; NaN stays NaN.
inline float drop_bits(float x, int bits) {
  const auto u = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t half = (1u << (bits - 1)) - 1;
  const std::uint32_t kept = (u + half + ((u >> bits) & 1)) & ~((1u << bits) - 1);
  return x != x ? x : std::bit_cast<float>(kept);
}

inline float round_to_f16(float x) {
  constexpr float smallest_normal = 0x1p-14f, overflow = 65520.0f, to_subnormal = 0.75f;
  const float magnitude = std::fabs(x);
  const float normal = drop_bits(magnitude, 13);
  const float subnormal = (magnitude + to_subnormal) - to_subnormal;  // ulp(0.75) is f16's smallest subnormal
  const float rounded = magnitude < smallest_normal ? subnormal : normal;
  const float limited = magnitude >= overflow ? std::numeric_limits<float>::infinity() : rounded;
  return x != x ? x : std::copysign(limited, x);
}

}  // namespace detail

inline void round_all(ElementType type, std::span<float> values) {
  if (type == ElementType::bf16) {
    for (float& x : values) x = detail::drop_bits(x, 16);
  } else if (type == ElementType::f16) {
    for (float& x : values) x = detail::round_to_f16(x);
  } else if (type == ElementType::e4m3) {
    for (float& x : values) x = static_cast<float>(round_to(type, static_cast<double>(x)));
  }
}

// f64 alone is computed in double; it needs no rounding.
inline void round_all(ElementType, std::span<double>) {}

}  // namespace ringscope
