// What outputs were computed with although nobody said so: a softcap, a scale, the edges of a mask. Some rows are
// recomputed with each; two or more unsaid words at once are found as one is.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/foreign/foreign.h"

namespace ringscope {

// Edges as the words of docs/formats.md have them, from the first query: keys i - left to i + right, or below prefix.
struct Edges {
  std::optional<std::int64_t> left, right, prefix;
  bool bottom_right = false;  // right counts from i + Skv - Sq
  bool operator==(const Edges&) const = default;
};

struct Unsaid {
  std::optional<double> softcap, scale;
  Edges edges;
  double error = 0;  // the largest over what rounding may leave
  int words() const;
};

struct MayBeUnsaid {
  bool softcap = false, scale = false, edges = false;
};

// Best first, by the fewest words; of the first query head, without ALiBi, RoPE, dropout and sinks, where o is given.
std::vector<Unsaid> find_unsaid(const Foreign& foreign, const MayBeUnsaid& may);

}  // namespace ringscope
