// How pictures write numbers and slices.
#pragma once
#include <cstdint>
#include <string>

#include "core/slice.h"

namespace ringscope {

std::string grouped(std::int64_t n);                              // 1234567 -> "1,234,567"
std::string seconds_in_words(double seconds);                     // "850 ns", "1.25 ms"
std::string fixed(double value, int decimals);                    // "0.571"
std::string scientific(double value);                             // "1.2e-07"
std::string counted(std::int64_t n, std::string_view one);        // "1 move", "1,024 moves"
std::string short_name(TensorKind tensor, const Blocks& blocks);  // "KV3", "KV0-7", "Q0,2,4", "Q0..14/2"
std::string rank_name(int rank);                                  // "r3"

}  // namespace ringscope
