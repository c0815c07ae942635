// Attention that others computed, as the judge reads it: head by head, so that memory stays bounded.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "core/data.h"
#include "core/problem.h"
#include "core/report.h"

namespace ringscope {

// Fills the rows of one head, [S, D] in natural order, widened exactly. Called from several threads.
using ReadHead = std::function<void(std::int64_t batch, std::int64_t head, std::span<double> rows)>;

struct ForeignOutput {
  ReadHead read;  // empty: not there
  ElementType type = ElementType::f32;
};

struct Foreign {
  Problem problem;  // with a backward when a gradient is to be judged
  ReadHead q, k, v, d_o;
  std::array<ForeignOutput, output_kinds> outputs;  // by Output; lse as natural logarithm
  Inputs terms;                                     // slopes, sink logits, dropout seed; no tensors
  // What a row that sees no key, and has no sink, should hold.
  double empty_lse = -std::numeric_limits<double>::infinity();
  double empty_o = 0;

  const ForeignOutput& of(Output output) const { return outputs[static_cast<std::size_t>(output)]; }
};

// [B, H, S, D] of an output, and of what it is a gradient of.
Shape shape_of(const Problem& problem, Output output);

}  // namespace ringscope
