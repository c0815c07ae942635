// What attention to compute.
#pragma once
#include <cstdint>
#include <optional>

#include "core/element_type.h"
#include "core/mask.h"
#include "core/tensor.h"

namespace ringscope {

enum class Direction : std::uint8_t { forward, forward_and_backward };

// Applied in this order: scale, softcap, ALiBi, mask, sink logit; dropout acts on the weights.
struct ScoreTerms {
  std::optional<double> scale;  // absent: 1/sqrt(dim_qk)
  double softcap = 0;           // c: s becomes c tanh(s / c); 0 is off
  bool alibi = false;           // s + slope[h] (j - p), slope[h] = 2^(-8 (h+1) / Hq)
  double rope_base = 0;         // pairs (d, d + Dqk/2) turned by pos * base^(-2d/Dqk); 0 is off
  bool sink_logit = false;      // one learned logit per query head joins the softmax and has no value
  double dropout = 0;           // probability that a weight is dropped
  bool operator==(const ScoreTerms&) const = default;
};

struct Problem {
  std::int64_t batch = 1;
  std::int64_t heads_q = 4, heads_kv = 4;
  std::int64_t len_q = 64, len_kv = 64;
  std::int64_t dim_qk = 16, dim_v = 16;
  ElementType type = ElementType::f32;
  Mask mask;
  ScoreTerms terms;
  Direction direction = Direction::forward_and_backward;
  bool operator==(const Problem&) const = default;

  // Throws Error(bad_request) with the field, its value and the rule.
  void validate() const;

  double scale() const;
  std::int64_t group() const { return heads_q / heads_kv; }  // query heads per KV head
  bool has_backward() const { return direction == Direction::forward_and_backward; }
  MaskRows mask_rows() const { return MaskRows(mask, len_q, len_kv); }

  Shape shape_q() const { return {batch, heads_q, len_q, dim_qk}; }
  Shape shape_k() const { return {batch, heads_kv, len_kv, dim_qk}; }
  Shape shape_v() const { return {batch, heads_kv, len_kv, dim_v}; }
  Shape shape_o() const { return {batch, heads_q, len_q, dim_v}; }
  Shape shape_lse() const { return {batch, heads_q, len_q, 1}; }
};

}  // namespace ringscope
