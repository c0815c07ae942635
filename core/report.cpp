#include "core/report.h"

namespace ringscope {

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view names[] = {"passed", "failed", "mistrusted", "skipped", "invalid", "faulted"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string_view name_of(Output output) {
  constexpr std::string_view names[output_kinds] = {"o", "lse", "dq", "dk", "dv"};
  return names[static_cast<std::size_t>(output)];
}

void Summary::add(const Report& report) {
  std::int64_t* const counts[] = {&passed, &failed, &mistrusted, &skipped, &invalid, &faulted};
  ++*counts[static_cast<std::size_t>(report.verdict)];
  if (report.fault_unseen) ++fault_unseen;
}

int Summary::exit_code() const {
  if (faulted > 0) return 4;
  if (failed > 0 || mistrusted > 0) return 1;
  if (invalid > 0) return 2;
  return passed > 0 && fault_unseen == 0 ? 0 : 3;
}

}  // namespace ringscope
