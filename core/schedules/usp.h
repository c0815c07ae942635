// `groups` Ulysses groups of `members` ranks, and a ring of KV between the groups for each member.
#pragma once
#include "core/recipe.h"

namespace ringscope {

Schedule usp_schedule(const BuildRequest& request, int groups, int members);

}  // namespace ringscope
