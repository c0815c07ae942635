// Named sets of cases that cover the grammar of the case line, and cases at random.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/case.h"
#include "core/watch.h"

namespace ringscope {

struct SuiteInfo {
  std::string_view name, sentence;
};
std::span<const SuiteInfo> suites();

// Always the same cases, all of them valid, no two the same. Throws Error(bad_request) for a name nobody knows.
std::vector<Case> suite_cases(std::string_view name);
// Valid cases over the whole grammar, odd sizes included, on the built-in CPU kernels.
std::vector<Case> random_cases(std::int64_t count, std::uint64_t seed, const TellDone& tell = {});

}  // namespace ringscope
