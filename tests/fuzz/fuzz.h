// What a fuzz target gives to its two drivers: libFuzzer where clang is there (libfuzzer.cpp), and a plain mutation
// loop elsewhere (mutation_loop.cpp).
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace ringscope {

// Reads the input as what the target reads: it is understood, or refused by an Error of the right kind. Everything else
// (a crash, another exception, a promise broken) ends the process.
void fuzz_one(std::span<const std::byte> input);

// Right inputs to start from.
std::vector<std::string> fuzz_seeds();

}  // namespace ringscope
