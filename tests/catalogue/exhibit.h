// What the exhibits of the museum share: a right run beside a wrong one, and the check that tells them apart.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/kernel.h"
#include "core/case.h"
#include "core/compare.h"
#include "core/diagnosis/what_if.h"
#include "core/schedule_check.h"
#include "core/verify.h"

namespace ringscope {

// A case with its plan, its data and what is right; the kernel is always the naive one.
struct Exhibit {
  explicit Exhibit(std::string_view line);

  Case c;
  Plan plan;
  Reference reference;

  Outputs right() const;                       // the case itself, run
  Outputs with(const Mistake& mistake) const;  // recomputed with the mistake
  // The case run under another mask than it is judged by.
  Outputs under(const Mask& mask) const;
  Report judged(const Outputs& outputs) const;

  void expect_passes(const Outputs& outputs) const;
  // The right run passes; the wrong one fails the check, first in `output`. Returns where.
  Place expect_caught(const Outputs& wrong, std::string_view check, Output output) const;
  // What the pattern looks like; empty: no known one.
  std::string diagnosed(const Outputs& wrong) const;
};

// What a proved or a damaged plan gives.
Outputs run(const Plan& plan, const Inputs& inputs);

// The plan of a case line.
Plan plan_of(std::string_view line);
// The right plan is proved, the wrong one refused by the rule. Returns the first violation of it.
Violation expect_refused(const Plan& right, const Plan& wrong, Rule rule);
// The plan with a mistake of tests/core/plants.cpp, by its name.
Plan with_plant(const Plan& plan, std::string_view name);

// The verdict of a case that runs on a kernel with a mistake in it; the place says rank and step where they are known.
Report verified(std::string_view line, const cpu::KernelKind& kernel);
// The verdict of a case that may name a fault (core/faults), on the naive kernel.
Report verified(std::string_view line);
void expect_place(const Report& report, std::string_view check, Output output);

// Positions in the ranks' order: rank 0's rows first.
std::vector<std::int64_t> positions_by_rank(const Layout& layout);
// Row k of the result is row order[k]; outputs the other way round.
Inputs take_rows(const Inputs& inputs, std::span<const std::int64_t> order);
Outputs put_rows(const Outputs& outputs, std::span<const std::int64_t> order);

}  // namespace ringscope
