// The program `ringscope` as a function, so that tests can call it.
#pragma once
#include <string>
#include <vector>

namespace ringscope {

// Prints to stdout and stderr; returns the exit code (docs/design.md, "A run is one line").
int run_program(std::vector<std::string> arguments);

}  // namespace ringscope
