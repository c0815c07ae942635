// Whether a plan can be looked at at all: everything inside its bounds. Plans come from people's files.
#pragma once
#include "core/plan.h"
#include "core/violation_log.h"

namespace ringscope {

// Throws Error(bad_request) for more than the proof takes: a right plan of that size could not be told from a wrong
// one.
void require_provable(const Problem& problem, const Layout& layout);

// Adds violations of Rule::shape. Throws Error(bad_request) as require_provable does. Without any, every index of the
// plan may be used without a check, and no count of pairs or bytes overflows.
void check_shape(const Plan& plan, ViolationLog& log);

// What the proof takes, so that memory stays bounded.
inline constexpr std::int64_t most_tokens = std::int64_t{1} << 30;
inline constexpr std::int64_t most_tiles = std::int64_t{1} << 26;       // blocks^2
inline constexpr std::int64_t most_head_tiles = std::int64_t{1} << 30;  // blocks^2 times head units
inline constexpr std::int64_t most_held = std::int64_t{1} << 26;        // (rank, tensor, block, head unit) at once

}  // namespace ringscope
