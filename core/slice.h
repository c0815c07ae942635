// The atom that is moved, attended and proved: {tensor, blocks, heads}.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/layout.h"

namespace ringscope {

enum class TensorKind : std::uint8_t { q, kv, state, out, d_o, stats, dq, dkv };
inline constexpr int tensor_kinds = 8;

std::string_view name_of(TensorKind tensor);  // "Q", "KV", "State", "Out", "dO", "Stats", "dQ", "dKV"

constexpr Side side_of(TensorKind tensor) {
  return tensor == TensorKind::kv || tensor == TensorKind::dkv ? Side::kv : Side::q;
}
// State, dQ and dKV: absent means the identity; they are given, never copied.
constexpr bool is_accumulator(TensorKind tensor) {
  return tensor == TensorKind::state || tensor == TensorKind::dq || tensor == TensorKind::dkv;
}

// first, first + stride, ..., count of them.
struct Blocks {
  std::int32_t first = 0, count = 1, stride = 1;
  std::int32_t at(std::int32_t i) const { return first + i * stride; }
  bool operator==(const Blocks&) const = default;
};

// Query heads for q-side tensors, KV heads for kv-side ones.
struct Heads {
  std::uint16_t begin = 0, end = 0;
  int count() const { return end - begin; }
  bool operator==(const Heads&) const = default;
};

struct Slice {
  TensorKind tensor = TensorKind::q;
  Blocks blocks;
  Heads heads;
  bool operator==(const Slice&) const = default;
};

std::string to_text(const Slice& slice);  // "KV b3 h0-2", "Q b0+4x2 h0-6": docs/schedules.md

}  // namespace ringscope
