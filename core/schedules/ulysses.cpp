// Every rank gets all rows of some heads (DeepSpeed-Ulysses, arXiv 2309.14509): one group of USP.
#include "core/schedules/builders.h"
#include "core/schedules/head_owners.h"
#include "core/schedules/usp.h"

namespace ringscope {

Schedule build_ulysses(const BuildRequest& request) {
  return usp_schedule(request, 1, request.layout.ranks);
}

std::optional<std::string> refuse_ulysses(const Problem& problem, const Recipe& recipe) {
  return refuse_members(problem, recipe, recipe.ranks.count());
}

}  // namespace ringscope
