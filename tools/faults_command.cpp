// `ringscope faults`: the fault table, for docs/validator.md.
#include <fmt/format.h>

#include "core/faults/fault.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/fault_page.h"
#include "tools/progress.h"

namespace ringscope {

void add_faults(const Command& program) {
  const Command faults = program.add("faults", "plants every fault, and prints which check sees which, as Markdown",
                                     {"ringscope faults > docs/validator.md"});
  faults.on_run([] {
    FaultTable table = page_table();
    Progress progress;
    const std::string page = fault_page(table, [&progress](const FaultKind& fault) { progress.tell(fault.name, {}); });
    progress.clear();
    fmt::print("{}", page);
  });
}

}  // namespace ringscope
