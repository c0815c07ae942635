// The recipes under test, and what is counted in their plans without the proof.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "core/recipe.h"

namespace ringscope {

inline constexpr Direction both = Direction::forward_and_backward;

// Hq 6, Hkv 2, Dqk 3, Dv 5.
Problem problem_of(std::int64_t len_q, std::int64_t len_kv, Direction direction);
Recipe recipe_of(std::string schedule, Ranks ranks, std::optional<BackwardStyle> style = {});

struct RecipeCase {
  Problem problem;
  Recipe recipe;
};
std::string text_of(const RecipeCase& c);

// Every way to write N as O x I.
std::vector<Ranks> grids_of(int ranks);
// Every schedule that can spread the problem over N ranks: forward alone and with each backward style, with and without
// prune, on every grid; kv-copies where heads are dealt.
std::vector<RecipeCase> every_recipe(const Problem& problem, int ranks);

using ByTensor = std::array<std::int64_t, tensor_kinds>;
struct Tally {
  ByTensor transfers{};  // slices that change rank
  ByTensor bytes{};
  int steps = 0;
  std::int64_t of(TensorKind tensor) const { return transfers[static_cast<std::size_t>(tensor)]; }
  std::int64_t bytes_of(TensorKind tensor) const { return bytes[static_cast<std::size_t>(tensor)]; }
  std::int64_t total() const;
};
Tally tally(const Plan& plan, Pass pass);

// Allowed pairs of one query head, [step of this pass][rank].
std::vector<std::vector<std::int64_t>> pairs_by_step(const Plan& plan, Pass pass);

}  // namespace ringscope
