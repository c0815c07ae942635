// The storage types and their exact conversions; a double holds every value of every type.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringscope {

enum class ElementType : std::uint8_t { f64, f32, bf16, f16, e4m3 };

std::string_view name_of(ElementType type);
std::optional<ElementType> element_type_named(std::string_view name);

std::int64_t bytes_of(ElementType type);
// O, dO, dQ, dK, dV: the type itself, but bf16 for e4m3, which holds only Q, K and V.
ElementType output_type(ElementType type);
// Bytes of one element of State, LSE, Stats, dQ, dKV: 8 for f64, else 4.
std::int64_t accumulator_bytes(ElementType type);

// Rounds once, to nearest even, from the double. e4m3 saturates at 448 (OCP FP8 1.0, table 1); the others overflow to
// inf.
double round_to(ElementType type, double value);
// The bit pattern of a value, rounded to the type, in the low bits; and back, exactly.
std::uint64_t encode(ElementType type, double value);
double decode(ElementType type, std::uint64_t bits);
// Unit roundoff: half the distance from 1 to the next value.
double unit_roundoff(ElementType type);
double largest_finite(ElementType type);  // finite
// Distance from |value|, which is finite, to the next larger value of the type.
double ulp(ElementType type, double value);

}  // namespace ringscope
