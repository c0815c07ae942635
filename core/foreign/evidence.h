// What a diagnosis works on: the problem, inputs and given outputs of one dump or run, with what was right and what was
// measured.
#pragma once
#include <array>
#include <optional>

#include "core/data.h"
#include "core/layout.h"
#include "core/problem.h"
#include "core/report.h"

namespace ringscope {

struct Evidence {
  Problem problem;
  Inputs inputs;                               // whole tensors, natural order
  Outputs given;                               // absent outputs are empty tensors; lse as natural logarithm
  Outputs right;                               // the oracle's, all outputs of the problem's direction
  std::optional<Layout> layout;                // rows by rank, if known
  std::array<Figures, output_kinds> figures;   // as judged; ratio and peak_ratio in the units of docs/formats.md
  std::array<double, output_kinds> divisor{};  // of peak_ratio: the largest error a right kernel is expected to have
  std::optional<Place> first_wrong;
};

}  // namespace ringscope
