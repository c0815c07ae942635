// The schedule builders, one file each; registry.cpp gives them their names. They ask nothing but the request.
#pragma once
#include <optional>
#include <string>

#include "core/recipe.h"

namespace ringscope {

Schedule build_ring(const BuildRequest& request);
Schedule build_bidi(const BuildRequest& request);
Schedule build_double_ring(const BuildRequest& request);
Schedule build_all_gather(const BuildRequest& request);
Schedule build_ulysses(const BuildRequest& request);
Schedule build_usp(const BuildRequest& request);
Schedule build_pass_q(const BuildRequest& request);
Schedule build_decode(const BuildRequest& request);

// Why the heads cannot be dealt this way, if so.
std::optional<std::string> refuse_ulysses(const Problem& problem, const Recipe& recipe);
std::optional<std::string> refuse_usp(const Problem& problem, const Recipe& recipe);

}  // namespace ringscope
