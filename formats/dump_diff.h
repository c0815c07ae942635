// Two dumps of the same tensors: what differs, and where first.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/dump.h"
#include "formats/tensor_file.h"

namespace ringscope {

struct TensorDiff {
  std::string name;         // "o", "t1.r2.b0.dk"
  double max_abs = 0;       // over elements finite in both
  double ratio = 0;         // the largest error over what rounding explains; > 1: more than rounding
  std::int64_t unlike = 0;  // elements whose values differ at all
  std::int64_t nonfinite = 0;
  std::int64_t numbers = 0;                               // elements that are finite in both
  bool is_input = false;                                  // equal inputs show nothing of what was computed
  int step = -1, rank = -1, q_block = -1, kv_block = -1;  // of step tensors
  std::int64_t batch = -1, head = -1, row = -1;  // the first row beyond rounding, or else the first that differs

  bool differs() const { return ratio > 1 || nonfinite > 0; }
};

// Where no number but inputs was compared, equality says nothing: mistrusted.
struct DumpDiff {
  std::vector<TensorDiff> tensors;  // inputs, then steps by step and rank, then outputs; those in both
  std::vector<std::string> notes;   // names in one alone
  const TensorDiff* first() const;  // the first that differs beyond rounding; null: none
  Verdict verdict() const;
  std::string mistrust() const;  // why nothing was compared, in a sentence, where that is the verdict; else empty
};

// Inputs must agree, or nothing can be said: Error(bad_file). `words` describe both.
DumpDiff compare_dumps(std::span<const std::string> reference, std::span<const std::string> mine,
                       const DumpWords& words);

// What is no error in a step tensor: `roundoff` times sixteen times its largest value, nor, since gradients may cancel
// to nothing, `error` of the output that it becomes.
struct StepTolerance {
  double roundoff = 0;
  std::array<double, output_kinds> error{};  // by Output
};

// The step tensors of a dump (t1.r2.o, ...) against what they should be, in order of step, then rank; those that one
// of the two lacks are left out.
std::vector<TensorDiff> compare_steps(std::span<const std::string> dump, std::span<const TensorToWrite> right,
                                      const StepTolerance& tolerance);
std::vector<TensorDiff> compare_steps(std::span<const TensorToWrite> given, std::span<const TensorToWrite> right,
                                      const StepTolerance& tolerance);

}  // namespace ringscope
