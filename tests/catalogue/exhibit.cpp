#include "tests/catalogue/exhibit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/cpu/cpu_backend.h"
#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/run_evidence.h"
#include "core/execute.h"
#include "tests/core/damage.h"

namespace ringscope {

namespace {

const cpu::KernelKind& naive() {
  return *std::ranges::find(cpu::kernel_kinds(), "naive", &cpu::KernelKind::name);
}

Reference reference_of(const Case& c) {
  return make_reference(c.problem, c.fill, c.seed);
}

enum class Direct { take, put };

Tensor reordered(const Tensor& x, std::span<const std::int64_t> order, Direct direct) {
  if (x.empty()) return x;
  Tensor out(x.shape);
  for (std::int64_t b = 0; b < x.shape.batch; ++b) {
    for (std::int64_t h = 0; h < x.shape.heads; ++h) {
      for (std::int64_t k = 0; k < x.shape.rows; ++k) {
        const std::int64_t row = order[static_cast<std::size_t>(k)];
        const bool take = direct == Direct::take;
        std::copy_n(x.row(b, h, take ? row : k), x.shape.dim, out.row(b, h, take ? k : row));
      }
    }
  }
  return out;
}

Report verified_by(std::string_view line, const cpu::KernelKind& kernel) {
  References references;
  const auto make = [&](const BackendChoice&) -> std::unique_ptr<Backend> {
    return std::make_unique<cpu::CpuBackend>(kernel, cpu::CpuOptions{.clock = std::make_shared<cpu::VirtualClock>()});
  };
  return verify(parse_case(line), references, {.make_backend = make}).report;
}

}  // namespace

Exhibit::Exhibit(std::string_view line)
    : c(parse_case(line)), plan(make_plan(c.problem, c.recipe)), reference(reference_of(c)) {}

Outputs Exhibit::right() const {
  return run(plan, reference.inputs);
}

Outputs Exhibit::with(const Mistake& mistake) const {
  return what_if(c.problem, reference.inputs, mistake);
}

Outputs Exhibit::under(const Mask& mask) const {
  Plan other = plan;
  other.problem.mask = mask;
  return run(other, reference.inputs);
}

Report Exhibit::judged(const Outputs& outputs) const {
  return compare(c.problem, reference, outputs);
}

void Exhibit::expect_passes(const Outputs& outputs) const {
  const Report report = judged(outputs);
  EXPECT_EQ(report.verdict, Verdict::passed) << to_line(c) << ": " << report.reason;
}

Place Exhibit::expect_caught(const Outputs& wrong, std::string_view check, Output output) const {
  expect_passes(right());
  const Report report = judged(wrong);
  expect_place(report, check, output);
  return report.where.value_or(Place{});
}

std::string Exhibit::diagnosed(const Outputs& wrong) const {
  const auto diagnosis = diagnose(run_evidence(plan, reference, wrong, judged(wrong)));
  return diagnosis ? diagnosis->name : std::string();
}

Outputs run(const Plan& plan, const Inputs& inputs) {
  cpu::CpuBackend backend(naive());
  return execute(backend, plan, inputs).outputs;
}

Plan plan_of(std::string_view line) {
  const Case c = parse_case(line);
  return make_plan(c.problem, c.recipe);
}

Violation expect_refused(const Plan& right, const Plan& wrong, Rule rule) {
  EXPECT_TRUE(prove(right).holds());
  const Proof proof = prove(wrong);
  const auto found = std::ranges::find(proof.violations, rule, &Violation::rule);
  EXPECT_NE(found, proof.violations.end()) << "no violation of " << name_of(rule);
  return found == proof.violations.end() ? Violation{} : *found;
}

Plan with_plant(const Plan& plan, std::string_view name) {
  const auto plant = std::ranges::find(plants(), name, &Plant::what);
  EXPECT_NE(plant, plants().end()) << name;
  Damage damage(plan, 0);
  EXPECT_TRUE(plant->make(damage)) << "no place for: " << name;
  return damage.plan();
}

Report verified(std::string_view line, const cpu::KernelKind& kernel) {
  const Report right = verified_by(line, naive());
  EXPECT_EQ(right.verdict, Verdict::passed) << right.reason;
  return verified_by(line, kernel);
}

Report verified(std::string_view line) {
  return verified_by(line, naive());
}

void expect_place(const Report& report, std::string_view check, Output output) {
  EXPECT_EQ(report.verdict, Verdict::failed) << report.reason;
  ASSERT_TRUE(report.where);
  EXPECT_EQ(report.where->check, check) << report.reason;
  ASSERT_TRUE(report.where->output) << report.reason;
  EXPECT_EQ(name_of(*report.where->output), name_of(output)) << report.reason;
}

std::vector<std::int64_t> positions_by_rank(const Layout& layout) {
  std::vector<std::int64_t> out;
  for (const BlockRows& block : layout.q) std::ranges::copy(block.positions(), std::back_inserter(out));
  return out;
}

Inputs take_rows(const Inputs& inputs, std::span<const std::int64_t> order) {
  Inputs out = inputs;
  for (const auto tensor : {&Inputs::q, &Inputs::k, &Inputs::v, &Inputs::d_o}) {
    out.*tensor = reordered(inputs.*tensor, order, Direct::take);
  }
  return out;
}

Outputs put_rows(const Outputs& outputs, std::span<const std::int64_t> order) {
  Outputs out = outputs;
  for (const auto tensor : {&Outputs::o, &Outputs::lse, &Outputs::dq, &Outputs::dk, &Outputs::dv}) {
    out.*tensor = reordered(outputs.*tensor, order, Direct::put);
  }
  return out;
}

}  // namespace ringscope
