// The fills, one file each, and the random numbers that they draw. Inside core; others use core/fill.h.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/fill.h"
#include "core/philox.h"

namespace ringscope {

// What a random number is for: no two streams of a seed share numbers.
enum class Stream : std::uint32_t { q = 1, k, v, d_o, sink_logit, dropout };

// Random numbers by (seed, stream, index). No libm: the same bits on every machine.
class Draw {
 public:
  Draw(std::uint64_t seed, Stream stream) : key_(philox_key(seed)), stream_(static_cast<std::uint32_t>(stream)) {}

  PhiloxCounter lanes(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    return philox4x32({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), stream_, 0}, key_);
  }
  // Nearly normal, mean 0, variance 1, |x| < 4.9: the sum of eight uniforms of 16 bits (Irwin and Hall 1927).
  double normal(std::int64_t index) const {
    std::int64_t sum = 0;
    for (const std::uint32_t lane : lanes(index)) sum += (lane & 0xFFFF) + (lane >> 16);
    constexpr double unit = 0x1.3988e1409212ep+0 * 0x1p-16;  // sqrt(12 / 8), in steps of 2^-16
    return (static_cast<double>(sum) - 4 * 65535.0) * unit;
  }
  // Between -largest and largest.
  std::int64_t integer(std::int64_t index, std::int64_t largest) const {
    return static_cast<std::int64_t>(lanes(index)[0]) % (2 * largest + 1) - largest;
  }

 private:
  PhiloxKey key_;
  std::uint32_t stream_;
};

// The tensor whose values are value(flat index).
template <class Value>
Tensor filled(Shape shape, Value&& value) {
  Tensor out(shape);
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = value(static_cast<std::int64_t>(i));
  return out;
}

Tensor normals(Shape shape, ElementType type, Draw draw);
Tensor small_integers(Shape shape, std::int64_t largest, Draw draw);
// dO (empty when only forward), the sink logits and the dropout key.
void fill_rest(const Problem& problem, std::uint64_t seed, Inputs& inputs);

struct FillKind {
  FillInfo info;
  std::optional<std::string> (*refuse)(const Problem&);
  Inputs (*make)(const Problem&, std::uint64_t seed);
  std::optional<ExactOutputs> (*exact)(const Problem&, std::uint64_t seed, const Inputs&);
};

extern const FillKind random_fill;    // fill_random.cpp
extern const FillKind needle_fill;    // fill_needle.cpp
extern const FillKind uniform_fill;   // fill_uniform.cpp
extern const FillKind poison_fill;    // fill_random.cpp
extern const FillKind overflow_fill;  // fill_overflow.cpp

}  // namespace ringscope
