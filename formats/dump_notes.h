// What a person said of a dump that changes nothing in it.
#pragma once
#include <string>
#include <vector>

#include "formats/dump.h"

namespace ringscope {

// One sentence for each flag without effect: `--lse-base` where there is no lse, `--empty-o` where every row sees a
// key.
std::vector<std::string> idle_flags(const Dump& dump, const DumpWords& words);

}  // namespace ringscope
