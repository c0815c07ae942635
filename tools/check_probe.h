// Whether a failed dump is right when it is described otherwise: other axes, another base of lse, another layout,
// a narrower type.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/foreign/foreign_judge.h"
#include "formats/dump.h"

namespace ringscope {

// The name of a diagnosis that a hint stands for.
inline constexpr std::string_view described_otherwise_name = "described_otherwise";

// Sentences that name the flags to say; a verdict never rests on them. Looks at one KV head.
std::vector<std::string> described_otherwise(const std::vector<std::string>& paths, const DumpWords& words,
                                             const Dump& dump, const Judged& judged);

}  // namespace ringscope
