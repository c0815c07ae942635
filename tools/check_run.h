// One check of other people's tensors: read, judge, place, diagnose.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnosis/diagnosis.h"
#include "core/foreign/block_shares.h"
#include "core/foreign/first_wrong.h"
#include "formats/dump.h"
#include "tools/check_steps.h"

namespace ringscope {

struct CheckResult {
  Dump dump;
  Judged judged;
  std::optional<FirstWrong> first_wrong;
  std::optional<Diagnosis> diagnosis;
  CheckedSteps steps;               // where the dump has step tensors
  std::vector<BlockShares> shares;  // of wrong outputs, where a layout is known and maps are wanted
  std::vector<std::string> notes;   // what was assumed, and what the inputs cannot show
  std::vector<std::string> hints;   // what a failed dump looks like if it was described otherwise
  double seconds = 0;
};

enum class Detail : std::uint8_t { verdict, maps };

// Throws Error(bad_file) or Error(bad_request).
CheckResult run_check(const std::vector<std::string>& paths, const DumpWords& words, Detail detail,
                      const std::function<void(double fraction)>& progress);

}  // namespace ringscope
