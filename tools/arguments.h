// What all commands do with their arguments.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.h"

namespace ringscope {

// An argument that stands alone where a quoted case was wanted. Throws Error(bad_request).
[[noreturn]] void refuse_unquoted(const std::string& word);
// Several single words are one case that was not quoted.
void require_quoted(const std::vector<std::string>& words);
// The number after a flag. Throws Error(bad_request) unless low <= number <= high.
std::int64_t count_argument(const std::string& flag, const std::string& text, std::int64_t low, std::int64_t high);

// A schedule file. Throws Error(bad_file) with file, line and column.
Plan read_plan(const std::string& path);

}  // namespace ringscope
