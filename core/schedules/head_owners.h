// Which heads each member of a Ulysses group owns.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/recipe.h"

namespace ringscope {

struct HeadOwners {
  std::vector<Heads> q, kv;  // [member]
};

// Member j of u: query heads [floor(j Hq/u), floor((j+1) Hq/u)) and every KV head those read; 1 <= u <= Hq.
HeadOwners head_owners(const Problem& problem, int members);

// Why the heads cannot be dealt to so many members, if so.
std::optional<std::string> refuse_members(const Problem& problem, const Recipe& recipe, int members);

}  // namespace ringscope
