// Small damage to an input, of the kinds that parsers trip over.
#pragma once
#include <cstddef>
#include <random>
#include <span>
#include <string>

namespace ringscope {

// Depends on the generator alone; never longer than `longest`.
std::string mutated(std::string input, std::span<const std::string> others, std::size_t longest, std::mt19937_64& draw);

}  // namespace ringscope
