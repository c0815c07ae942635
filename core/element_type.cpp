#include "core/element_type.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace ringscope {

namespace {

// value = (-1)^sign * 1.fraction * 2^exponent, or 0.fraction * 2^lowest_exponent.
struct Format {
  std::string_view name;
  int bytes;
  int fraction_bits;
  int lowest_exponent;  // of normal numbers
  double largest;       // finite
  std::uint64_t nan_bits;
};

constexpr std::array<Format, 5> formats = {{
    {"f64", 8, 52, -1022, std::numeric_limits<double>::max(), 0x7FF8000000000000},
    {"f32", 4, 23, -126, std::numeric_limits<float>::max(), 0x7FC00000},
    {"bf16", 2, 7, -126, 0x1.FEp127, 0x7FC0},
    {"f16", 2, 10, -14, 65504, 0x7E00},
    {"e4m3", 1, 3, -6, 448, 0x7F},
}};

const Format& format_of(ElementType type) {
  return formats[static_cast<std::size_t>(type)];
}

constexpr std::uint64_t bit(int n) {
  return std::uint64_t{1} << n;
}

double power_of_two(int exponent) {  // of a normal double
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

int exponent_of(double value) {  // biased 0 (zero, subnormal) comes out as -1023
  return static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7FF) - 1023;
}

double overflowed(ElementType type) {
  return type == ElementType::e4m3 ? format_of(type).largest : std::numeric_limits<double>::infinity();
}

// Drops low bits of the double's significand, ties to even, straight into the narrow format: one rounding.
double round_narrow(ElementType type, double value) {
  if (std::isnan(value)) return value;
  const Format& format = format_of(type);
  const double magnitude = std::fabs(value);
  const int exponent = exponent_of(magnitude);
  const int kept_exponent = exponent < format.lowest_exponent ? format.lowest_exponent : exponent;
  const int dropped = 52 - format.fraction_bits + (kept_exponent - exponent);
  double rounded = 0;
  if (std::isinf(magnitude)) {
    rounded = overflowed(type);
  } else if (dropped <= 53) {  // more: below half of the smallest subnormal
    const std::uint64_t significand = (std::bit_cast<std::uint64_t>(magnitude) & (bit(52) - 1)) | bit(52);
    const std::uint64_t rest = significand & (bit(dropped) - 1), half = bit(dropped - 1);
    std::uint64_t kept = significand >> dropped;
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    rounded = static_cast<double>(kept) * power_of_two(kept_exponent - format.fraction_bits);
    if (rounded > format.largest) rounded = overflowed(type);
  }
  return std::copysign(rounded, value);
}

}  // namespace

std::string_view name_of(ElementType type) {
  return format_of(type).name;
}

std::optional<ElementType> element_type_named(std::string_view name) {
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (formats[i].name == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

std::int64_t bytes_of(ElementType type) {
  return format_of(type).bytes;
}

ElementType output_type(ElementType type) {
  return type == ElementType::e4m3 ? ElementType::bf16 : type;
}

std::int64_t accumulator_bytes(ElementType type) {
  return type == ElementType::f64 ? 8 : 4;
}

double round_to(ElementType type, double value) {
  if (type == ElementType::f64) return value;
  if (type == ElementType::f32) return static_cast<double>(static_cast<float>(value));
  return round_narrow(type, value);
}

std::uint64_t encode(ElementType type, double value) {
  const Format& format = format_of(type);
  if (std::isnan(value)) return format.nan_bits;
  if (type == ElementType::f64) return std::bit_cast<std::uint64_t>(value);
  if (type == ElementType::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const double rounded = round_narrow(type, value), magnitude = std::fabs(rounded);
  const std::uint64_t sign = std::signbit(rounded) ? bit(8 * format.bytes - 1) : 0;
  if (std::isinf(magnitude)) return sign | (format.nan_bits & ~bit(format.fraction_bits - 1));
  const int exponent = exponent_of(magnitude);
  if (exponent < format.lowest_exponent) {
    const double smallest = power_of_two(format.lowest_exponent - format.fraction_bits);
    return sign | static_cast<std::uint64_t>(magnitude / smallest);
  }
  const std::uint64_t fraction =
      (std::bit_cast<std::uint64_t>(magnitude) & (bit(52) - 1)) >> (52 - format.fraction_bits);
  const auto biased = static_cast<std::uint64_t>(exponent - format.lowest_exponent + 1);
  return sign | biased << format.fraction_bits | fraction;
}

double decode(ElementType type, std::uint64_t bits) {
  if (type == ElementType::f64) return std::bit_cast<double>(bits);
  if (type == ElementType::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const Format& format = format_of(type);
  const int sign_bit = 8 * format.bytes - 1;
  const double sign = (bits >> sign_bit & 1) != 0 ? -1.0 : 1.0;
  const std::uint64_t magnitude = bits & (bit(sign_bit) - 1), fraction = magnitude & (bit(format.fraction_bits) - 1);
  const auto biased = static_cast<int>(magnitude >> format.fraction_bits);
  if (type == ElementType::e4m3 && magnitude == format.nan_bits) return std::numeric_limits<double>::quiet_NaN();
  const int highest_biased = static_cast<int>((bit(sign_bit) - 1) >> format.fraction_bits);
  if (type != ElementType::e4m3 && biased == highest_biased) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  const double smallest = power_of_two(format.lowest_exponent - format.fraction_bits);
  if (biased == 0) return sign * static_cast<double>(fraction) * smallest;
  return sign * static_cast<double>(fraction | bit(format.fraction_bits)) * smallest * power_of_two(biased - 1);
}

double unit_roundoff(ElementType type) {
  return power_of_two(-1 - format_of(type).fraction_bits);
}

double largest_finite(ElementType type) {
  return format_of(type).largest;
}

double ulp(ElementType type, double value) {
  const Format& format = format_of(type);
  ensure(std::isfinite(value), "ulp of a finite value");
  int exponent = exponent_of(value);
  if (exponent < format.lowest_exponent) exponent = format.lowest_exponent;
  return std::ldexp(1.0, exponent - format.fraction_bits);
}

}  // namespace ringscope
