#include "core/faults/fault_table.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/execute.h"
#include "core/faults/planted.h"
#include "core/judge.h"
#include "core/oracle.h"
#include "core/schedule_check.h"

namespace ringscope {

namespace {

constexpr double fault_deadline_seconds = 0.25;

Reference with_d_o_one(const Case& c) {
  Reference reference = make_reference(c.problem, c.fill, c.seed);
  std::fill(reference.inputs.d_o.values.begin(), reference.inputs.d_o.values.end(), 1.0);
  reference.oracle = oracle<double>(c.problem, reference.inputs);
  reference.magnitudes = magnitudes(c.problem, reference.inputs);
  if (reference.baseline) reference.baseline = baseline(c.problem, reference.inputs, Weights::kept);
  reference.exact.reset();
  return reference;
}

// What was nearer to a catch stays.
void note(Cell& cell, Sight sight, double margin, const Case& c) {
  if (cell.sight >= sight) return;
  cell.sight = sight;
  if (sight == Sight::caught) cell = {sight, margin, to_line(c)};
}

bool all_caught(const FaultRow& row) {
  return std::all_of(row.cells.begin(), row.cells.end(), [](const Cell& c) { return c.sight == Sight::caught; });
}

}  // namespace

FaultTable::FaultTable(std::vector<Case> cases, BackendFactory make_backend)
    : cases_(std::move(cases)), make_backend_(std::move(make_backend)), clean_(2 * cases_.size()) {}

const FaultTable::Clean& FaultTable::clean(std::size_t n, DataOfCheck data) {
  std::unique_ptr<Clean>& kept = clean_[static_cast<std::size_t>(data) * cases_.size() + n];
  if (kept) return *kept;
  const Case& c = cases_[n];
  kept = std::make_unique<Clean>(
      Clean{make_plan(c.problem, c.recipe),
            data == DataOfCheck::of_case ? make_reference(c.problem, c.fill, c.seed) : with_d_o_one(c),
            {},
            {}});
  kept->outputs = execute(*make_backend_(c.backend), kept->plan, kept->reference.inputs).outputs;
  kept->report = compare(c.problem, kept->reference, kept->outputs);
  return *kept;
}

void FaultTable::see(std::size_t n, DataOfCheck data, FaultRow& row) {
  const auto checks = table_checks();
  const auto asks = [&](std::size_t k) {
    return checks[k].data == data && row.cells[k].sight != Sight::caught && checks[k].is_made(cases_[n]);
  };
  bool any = data == DataOfCheck::of_case && row.run.sight == Sight::never_met;
  for (std::size_t k = 0; k < checks.size(); ++k) any = any || asks(k);
  if (!any) return;
  Case c = cases_[n];
  const Clean& right = clean(n, data);
  c.fault.name = row.fault->name;
  const auto planted = plant(right.plan, c.fault, c.seed);
  if (!planted) return;
  if (data == DataOfCheck::of_case) {
    const bool refused = row.fault->family == FaultFamily::schedule && !prove(planted->plan).holds();
    note(row.proof, refused ? Sight::caught : Sight::alike, 0, c);
  }
  try {
    const auto backend = faulty(make_backend_(c.backend), *planted);
    RunOptions options;
    if (planted->in_the_world()) options.deadline_seconds = fault_deadline_seconds;
    const Outputs given = execute(*backend, planted->plan, right.reference.inputs, options).outputs;
    const Report report = compare(c.problem, right.reference, given);
    note(row.run, Sight::alike, 0, c);
    for (std::size_t k = 0; k < checks.size(); ++k) {
      if (!asks(k)) continue;
      // A weak check may flag the right run too: then its red says nothing.
      if (checks[k].margin({c.problem, right.reference, right.outputs, right.report}) > 1) continue;
      const double margin = checks[k].margin({c.problem, right.reference, given, report});
      const bool is_alike = checks[k].looks_alike(given, right.outputs);
      note(row.cells[k], margin > 1 ? Sight::caught : is_alike ? Sight::alike : Sight::within_tolerance, margin, c);
    }
  } catch (const Error&) {
    note(row.run, Sight::caught, 0, c);
    for (std::size_t k = 0; k < checks.size(); ++k) {
      if (asks(k)) note(row.cells[k], Sight::no_numbers, 0, c);
    }
  }
}

FaultRow FaultTable::row(const FaultKind& fault) {
  FaultRow row{.fault = &fault};
  row.cells.resize(table_checks().size());
  for (std::size_t n = 0; n < cases_.size() && !all_caught(row); ++n) {
    see(n, DataOfCheck::of_case, row);
    const bool has_ended = fault.family == FaultFamily::transport && row.run.sight == Sight::caught;
    if (has_ended) break;  // each such run waits for its deadline, and there are never numbers
    if (cases_[n].problem.has_backward()) see(n, DataOfCheck::d_o_is_one, row);
  }
  for (std::size_t n = 0; n < cases_.size() && !row.first_red; ++n) {
    Case c = cases_[n];
    c.fault.name = fault.name;
    Report report = verify(c, references_, {.make_backend = make_backend_}).report;
    if (report.verdict == Verdict::failed || report.verdict == Verdict::faulted) row.first_red = std::move(report);
  }
  return row;
}

}  // namespace ringscope
