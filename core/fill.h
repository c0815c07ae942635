// Where the numbers of a run come from: functions of (seed, problem, tensor, global index) only.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/data.h"
#include "core/problem.h"

namespace ringscope {

enum class Fill : std::uint8_t { random, needle, uniform, poison, overflow };

struct FillInfo {
  Fill fill;
  std::string_view name, sentence;
};
std::span<const FillInfo> fills();
std::string_view name_of(Fill fill);

// Values are exact in the problem's storage type (dO in output_type). Throws Error(bad_request) where the fill and the
// problem cannot go together (needle with softcap, say).
Inputs make_inputs(const Problem& problem, Fill fill, std::uint64_t seed);
// The Philox key of dropout that make_inputs draws.
std::uint64_t dropout_key(std::uint64_t seed);
// The reason why not, if the combination cannot be.
std::optional<std::string> refusal(const Problem& problem, Fill fill);

// What an exact fill must give, where it must give it exactly (docs/numerics.md). Absent outputs are judged by bounds.
struct ExactOutputs {
  std::optional<Tensor> o, lse, dq, dk, dv;
  double lse_ulps = 0;  // how many units in the last place of the accumulator type lse may be off
};
std::optional<ExactOutputs> exact_outputs(const Problem& problem, Fill fill, std::uint64_t seed, const Inputs& inputs);

}  // namespace ringscope
