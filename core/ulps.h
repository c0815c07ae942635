// How far two runs of the same problem lie apart, in units in the last place.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/data.h"
#include "core/problem.h"
#include "core/report.h"

namespace ringscope {

// Steps between two values of a type on the line of its values; -0 is 0. Both must be numbers.
std::int64_t ulps_between(ElementType type, double a, double b);

inline constexpr std::array<std::string_view, 8> ulp_bins{"0", "1", "2", "3-4", "5-8", "9-64", ">64", "NaN or not"};

struct UlpHistogram {
  bool present = false;
  std::array<std::int64_t, ulp_bins.size()> count{};  // elements, by ulp_bins
  std::int64_t most = 0;                              // the largest distance between numbers
};

struct Agreement {
  std::array<UlpHistogram, output_kinds> outputs;  // by Output
  std::optional<Place> first_unlike;               // in the order o, lse, dq, dk, dv
  bool same_bits() const { return !first_unlike; }
};
Agreement agreement(const Problem& problem, const Outputs& a, const Outputs& b);

}  // namespace ringscope
