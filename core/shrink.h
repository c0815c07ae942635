// From a case that fails to the smallest one that still fails in the same way.
#pragma once
#include <functional>

#include "core/case.h"
#include "core/report.h"

namespace ringscope {

inline constexpr int usual_tries = 600;

using StillFails = std::function<bool(const Case& c)>;

// Greedy and deterministic: takes every simpler case that still fails, until none does or `still_fails` was asked
// `most_tries` times; each case is asked once. The result is valid and fails if `failing` does. A fault that was told
// where to happen stays there or moves to an earlier place.
Case shrink(const Case& failing, const StillFails& still_fails, int most_tries = usual_tries);

// The same verdict by the same check at the same output: what a shrunk case must share with the case that it stands
// for.
bool is_same_failure(const Report& a, const Report& b);
// Nothing to shrink: passed, skipped (nothing was judged), invalid (nothing was run).
bool is_failure(Verdict verdict);

}  // namespace ringscope
