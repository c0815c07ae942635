#include "tools/fault_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "backends/registry/registry.h"
#include "core/suites.h"

namespace ringscope {

namespace {

constexpr const char* head =
    R"(# What the validator sees

`./dev faults` writes this page: every planted mistake (`ringscope list faults`) against every check, on the `smoke` suite with
cpu:bitwise, each check up to its first red case. A check that was never seen to fail is worth nothing; this is where each was.

`ringscope verify --suite smoke --fault NAME` repeats a row, `ringscope verify "CASE"` a line of the last table.

)";

constexpr const char* legend =
    R"(A number is the error over the tolerance in the first red case, as a power of ten: `1e3` is a thousand times what is allowed, `inf` a
value that is not finite and should be, or the other way round. An exact answer's tolerance is half an ulp: of zero, next to nothing.
Otherwise, why the check cannot see the fault:

| sign | why |
| --- | --- |
| `=` | what the check looks at has the same bits as without the fault |
| `<` | it changes, by less than the tolerance |
| `!` | the run ends with an error before there are numbers |
| ` ` | the fault has a place in no case where the check is made |

Columns in italics are weak checks that people use instead; the proof looks at the plan alone, `run` at how the run ends.

)";

std::string power_of_ten(double margin) {
  if (!std::isfinite(margin)) return "inf";
  const int power = static_cast<int>(std::floor(std::log10(margin)));
  return power > 20 ? ">1e20" : fmt::format("1e{}", power);
}

// A bar in a table's cell is a new column, even in code.
std::string escaped(std::string line) {
  for (std::size_t at = line.find('|'); at != std::string::npos; at = line.find('|', at + 2)) line.insert(at, "\\");
  return line;
}

std::string cell_text(const Cell& cell) {
  switch (cell.sight) {
    case Sight::never_met:
      return " ";
    case Sight::no_numbers:
      return "!";
    case Sight::alike:
      return "=";
    case Sight::within_tolerance:
      return "<";
    case Sight::caught:
      return cell.margin == 0 ? "red" : power_of_ten(cell.margin);
  }
  return " ";
}

using CellOf = std::function<const Cell&(const FaultRow& row)>;

std::string check_line(std::string_view name, std::string_view sentence, const std::vector<FaultRow>& rows,
                       const CellOf& cell) {
  const auto seen =
      std::count_if(rows.begin(), rows.end(), [&](const FaultRow& row) { return cell(row).sight == Sight::caught; });
  return fmt::format("| {} | {} | {} of {} |\n", name, sentence, seen, rows.size());
}

std::string checks_section(const std::vector<FaultRow>& rows) {
  std::string out = "## The checks\n\n| check | what it is | sees |\n| --- | --- | --- |\n";
  out += check_line("proof", "the schedule is proved before anything runs", rows,
                    [](const FaultRow& row) -> const Cell& { return row.proof; });
  out += check_line("run", "the run ends, or else all ranks tell the same rank, step and slice", rows,
                    [](const FaultRow& row) -> const Cell& { return row.run; });
  for (std::size_t n = 0; n < table_checks().size(); ++n) {
    const CheckKind& check = table_checks()[n];
    const char* mark = check.is_weak ? "*" : "";
    out += check_line(fmt::format("{}{}{}", mark, check.name, mark), check.sentence, rows,
                      [n](const FaultRow& row) -> const Cell& { return row.cells[n]; });
  }
  return out + "\n";
}

std::string columns() {
  std::string names = "| fault | proof | run |", rule = "| --- | --- | --- |";
  for (const CheckKind& check : table_checks()) {
    const char* mark = check.is_weak ? "*" : "";
    names += fmt::format(" {}{}{} |", mark, check.name, mark);
    rule += " --- |";
  }
  return names + "\n" + rule + "\n";
}

struct FaultSection {
  FaultFamily family;
  const char* title;
};
constexpr FaultSection sections[] = {{FaultFamily::schedule, "Faults of the schedule"},
                                     {FaultFamily::transport, "Faults of the world"},
                                     {FaultFamily::numeric, "Faults of the numbers"}};

constexpr WithoutFault without_fault[] = {
    {"scores_16_bit",
     "a fault works at the seams of an Attend: what is read, which pairs are seen, how States join. No seam lies "
     "between "
     "q.k and its weight: kernels round nothing there that could be rounded otherwise"},
    {"f16_score_overflow", "the same: q.k exists inside a kernel alone"},
    {"lse_unscaled", "lse of scores without the scale is another sum over all keys; a Finish has the right one alone"},
    {"gradient_negated", "a gradient times a number, as dk-no-scale and gqa-averaged are: every check sees it as them"},
    {"gradient_zero", "the same, with 0"},
    {"gradient_factor", "the same, with sqrt(D), 2, the group and so on"},
    {"head_copied", "half of heads-swapped, and seen by the same checks"},
};

std::string without_fault_section() {
  std::string out =
      "\n## Mistakes that no fault makes\n\nA diagnosis recomputes them whole and knows them in other people's files "
      "(`ringscope check`); they are tested there, on the dumps of tests/data and by "
      "`Diagnosis.EveryMistakeIsNamedAgain`."
      "\n\n| mistake | why no fault makes it |\n| --- | --- |\n";
  for (const WithoutFault& mistake : without_fault) out += fmt::format("| {} | {} |\n", mistake.name, mistake.why);
  return out;
}

}  // namespace

std::span<const WithoutFault> mistakes_without_fault() {
  return without_fault;
}

std::string sight_line(const FaultRow& row) {
  std::string out = fmt::format("| {} | {} | {} |", row.fault->name, cell_text(row.proof), cell_text(row.run));
  for (const Cell& cell : row.cells) out += fmt::format(" {} |", cell_text(cell));
  return out + "\n";
}

std::string first_red_line(const FaultKind& fault, const Report& report) {
  std::string check = report.where ? report.where->check : std::string(name_of(report.verdict)), margin = "red";
  if (report.where && report.where->output) {
    const Figures& figures = report.of(*report.where->output);
    const bool finite = figures.nonfinite == 0;
    check += fmt::format(" of {}", name_of(*report.where->output));
    margin = finite ? power_of_ten(std::max(figures.ratio, figures.peak_ratio)) : "inf";
  }
  return fmt::format("| {} | {} | {} | {} | `{}` |\n", fault.name, fault.sentence, check, margin,
                     escaped(report.case_line));
}

FaultTable page_table() {
  std::vector<Case> cases = suite_cases("smoke");
  for (Case& c : cases) c.backend = {.name = "cpu:bitwise"};
  return {std::move(cases), make_backend};
}

std::string fault_page(FaultTable& table, const std::function<void(const FaultKind& fault)>& begun) {
  std::string sights, first_red;
  std::vector<FaultRow> rows;
  for (const FaultSection& section : sections) {
    sights += fmt::format("### {}\n\n{}", section.title, columns());
    for (const FaultKind& fault : fault_kinds()) {
      if (fault.family != section.family) continue;
      begun(fault);
      const FaultRow& row = rows.emplace_back(table.row(fault));
      sights += sight_line(row);
      if (row.first_red) first_red += first_red_line(fault, *row.first_red);
    }
    sights += "\n";
  }
  std::string page = head + checks_section(rows) + "## Fault by check\n\n" + legend + sights;
  page += "## The first red case of each\n\n| fault | the mistake | red by check | margin | case |\n";
  return page + "| --- | --- | --- | --- | --- |\n" + first_red + without_fault_section();
}

}  // namespace ringscope
