// What all commands do with their arguments.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plan.h"

namespace ringscope {

// Examples stand below the help, one a line.
CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& sentence,
                      const std::vector<std::string>& examples);
// Every command and its own commands refuse what they do not know, with what is allowed and the nearest right word.
void refuse_unknown_arguments(CLI::App& program);

// Several single words are one case that was not quoted.
void require_quoted(const std::vector<std::string>& words);
// The number after a flag. Throws Error(bad_request) unless low <= number <= high.
std::int64_t count_argument(const std::string& flag, const std::string& text, std::int64_t low, std::int64_t high);

// A schedule file. Throws Error(bad_file) with file, line and column.
Plan read_plan(const std::string& path);

}  // namespace ringscope
