// Whether a failed dump is right when it is described otherwise: other axes, another base of lse, another layout,
// a narrower type; and words that nobody said: a softcap, a scale, edges of the mask.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/foreign/foreign_judge.h"
#include "formats/dump.h"

namespace ringscope {

// The name of a diagnosis that a hint stands for.
inline constexpr std::string_view described_otherwise_name = "described_otherwise";

// Unsaid words are looked for where no known mistake explains the outputs.
enum class LookFor : std::uint8_t { descriptions, unsaid_words_too };

// Sentences that name the flags to say; a verdict never rests on them. Looks at one KV head.
std::vector<std::string> described_otherwise(const std::vector<std::string>& paths, const DumpWords& words,
                                             const Dump& dump, const Judged& judged, LookFor what);

// A sentence for each wrong output that holds numbers of a 16-bit type alone, stored in a wider one, and errs no more
// than rounding to it may.
std::vector<std::string> narrow_outputs(const Dump& dump, const Judged& judged);

}  // namespace ringscope
