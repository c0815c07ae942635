// `ringscope faults`: the fault table, for docs/validator.md.
#include <fmt/format.h>

#include "core/faults/fault.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/fault_page.h"

namespace ringscope {

void add_faults(CLI::App& program) {
  CLI::App& faults =
      add_command(program, "faults", "plants every fault, and prints which check sees which, as Markdown",
                  {"ringscope faults > docs/validator.md"});
  faults.callback([] {
    FaultTable table = page_table();
    const std::string page = fault_page(table, [](const FaultKind& fault) { fmt::print(stderr, "{}\n", fault.name); });
    fmt::print("{}", page);
  });
}

}  // namespace ringscope
