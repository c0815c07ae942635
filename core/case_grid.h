// What suites choose from: the factors of a case and their levels.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/covering.h"

namespace ringscope {

struct Level {
  std::string label;
  std::function<void(Case&)> set;
};

struct Factor {
  std::string_view name;
  std::vector<Level> levels;    // level 0 is neutral: it goes with as much as possible
  bool mostly_neutral = false;  // levels that take others away, like terms that exact fills refuse
};

// In the order in which they are set: shapes first, then what depends on them. Names of layouts and schedules come from
// their registries.
std::span<const Factor> case_factors();
// Every mask word alone, and every pair of words in some level.
std::vector<Level> mask_levels();
int factor_named(std::string_view name);
Case case_of(const Row& row);
std::vector<int> yielding_order();  // which factor yields first when levels conflict

struct SizeLimits {
  std::int64_t most_pairs = 60000;  // batch * query heads * Sq * Skv
};
// Are the case's parts possible together, its size within the limits, and its outcome worth a verdict?
bool can_be(const Case& c, const SizeLimits& limits);
std::int64_t dense_pairs(const Problem& problem);

}  // namespace ringscope
