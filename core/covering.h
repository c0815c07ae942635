// Covering arrays: few rows in which every pair (and every named triple) of levels occurs.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/draws.h"

namespace ringscope {

using Row = std::vector<int>;  // [factors] the level of each factor

struct LevelOf {
  int factor = 0, level = 0;
  bool operator==(const LevelOf&) const = default;
};

// Level 0 of each factor is its neutral one, which a conflicting level is replaced by.
struct CoveringRequest {
  std::vector<int> levels;                  // [factors] how many
  std::vector<std::array<int, 3>> triples;  // factors whose triples of levels must all occur
  std::function<bool(const Row&)> can_be;   // can this row be?
  std::vector<int> yielding;                // factors, in the order in which they yield in a conflict
  std::vector<int> mostly_neutral;          // factors that stay neutral in three of four free choices
  std::int64_t enough_rows = 0;             // further rows at random until there are so many
  std::int64_t most_rows = 0;               // stop here even when not all is covered; 0: no limit
  std::function<bool(const Row&)> is_new;   // is this row none of the earlier ones? called once per row
  std::uint64_t seed = 0;
};

struct CoveringRows {
  std::vector<Row> rows;
  std::vector<std::array<LevelOf, 2>> impossible_pairs;    // no row with both was found
  std::vector<std::array<LevelOf, 3>> impossible_triples;  // no row with all three was found
};

// Greedy, in the manner of AETG (Cohen, Dalal, Fredman, Patton 1997): each row begins with something not yet covered.
CoveringRows cover(const CoveringRequest& request);

}  // namespace ringscope
