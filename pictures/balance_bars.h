// How the pairs fall on ranks and steps, and what waiting for the slowest rank of each step would cost.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

struct BalanceBars {
  std::string name;                              // the recipe, to compare with others
  std::vector<std::vector<std::int64_t>> pairs;  // [rank][step]
  double balance = 1, lockstep_efficiency = 1;   // core/schedule_check.h
};

// Several, on one scale.
Picture draw(std::span<const BalanceBars> bars);
Sheet write(std::span<const BalanceBars> bars);

}  // namespace ringscope
