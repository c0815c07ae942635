// Whether a failed dump is right when it is described otherwise: other axes, another base of lse, another layout.
#pragma once
#include <string>
#include <vector>

#include "core/foreign/foreign_judge.h"
#include "formats/dump.h"

namespace ringscope {

// Sentences that name the flags to say; a verdict never rests on them. Looks at one KV head.
std::vector<std::string> described_otherwise(const std::vector<std::string>& paths, const DumpWords& words,
                                             const Dump& dump, const Judged& judged);

}  // namespace ringscope
