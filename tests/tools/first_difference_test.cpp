// core/first_difference.h on real runs: parts_held and PartialRows against what ranks really hold.
#include "core/first_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backends/registry/registry.h"
#include "core/compare.h"
#include "core/draws.h"
#include "core/suites.h"
#include "core/tensor_of.h"

namespace ringscope {
namespace {

struct Watched {
  Plan plan;
  Reference reference;
  RunResult run;
};

Watched watched_run(const Case& c) {
  Watched w{make_plan(c.problem, c.recipe), make_reference(c.problem, c.fill, c.seed), {}};
  RunOptions options;
  options.record = RunOptions::Record::snapshots;
  w.run = execute(*make_backend(c.backend), w.plan, w.reference.inputs, options);
  return w;
}

// A row of an output where the oracle is finite.
Place some_row(const Tensor& tensor, Output output, Draws& draws) {
  Place place{.check = "test", .output = output};
  do {
    place.batch = draws.below(tensor.shape.batch);
    place.head = draws.below(tensor.shape.heads);
    place.row = draws.below(tensor.shape.rows);
  } while (!std::isfinite(*tensor.row(place.batch, place.head, place.row)));
  return place;
}

std::vector<Case> random_fill_cases() {
  std::vector<Case> cases;
  for (Case c : suite_cases("smoke")) {
    c.fill = Fill::random;
    if (c.problem.has_backward() || cases.size() % 2 == 0) cases.push_back(c);
  }
  return cases;
}

TEST(FirstDifference, ARightRunHoldsWhatTheOracleHasAfterEveryStep) {
  Draws draws(1);
  for (const Case& c : random_fill_cases()) {
    Watched w = watched_run(c);
    for (int n = 0; n < output_kinds; ++n) {
      const Output output = static_cast<Output>(n);
      Tensor& tensor = tensor_of(w.run.outputs, output);
      if (tensor.empty()) continue;
      const Place place = some_row(tensor_of(w.reference.oracle, output), output, draws);
      *tensor.row(place.batch, place.head, place.row) += 0.1;  // a mistake after the last snapshot
      const auto found = first_difference(w.plan, w.reference.inputs, w.reference.oracle, w.run, place);
      EXPECT_FALSE(found) << to_line(c) << "\n" << name_of(output) << ": " << (found ? found->sentence : "");
    }
  }
}

// The accumulator of the failing row, in the first snapshot that has it.
TEST(FirstDifference, AWrongStateIsFoundWhereItIsFirstWrong) {
  Draws draws(2);
  int planted = 0;
  for (const Case& c : random_fill_cases()) {
    Watched w = watched_run(c);
    const Place place = some_row(w.reference.oracle.lse, Output::lse, draws);
    for (Snapshot& s : w.run.log.snapshots) {
      const auto held = std::find_if(s.held.begin(), s.held.end(), [&](const Held& h) {
        const auto positions = w.plan.layout.block(Side::q, h.block).positions();
        return h.tensor == TensorKind::state && h.head == place.head &&
               std::find(positions.begin(), positions.end(), place.row) != positions.end();
      });
      if (held == s.held.end()) continue;
      const std::int64_t rows = c.problem.batch * w.plan.layout.rows(Side::q, held->block);
      std::fill_n(held->values.begin(), rows, 0.0);         // m
      std::fill_n(held->values.begin() + rows, rows, 1e6);  // l
      *w.run.outputs.lse.row(place.batch, place.head, place.row) += 1;
      const auto found = first_difference(w.plan, w.reference.inputs, w.reference.oracle, w.run, place);
      ASSERT_TRUE(found) << to_line(c);
      EXPECT_EQ(found->rank, s.rank) << to_line(c);
      EXPECT_EQ(found->step, s.step) << to_line(c);
      ++planted;
      break;
    }
  }
  EXPECT_GT(planted, 20);
}

TEST(FirstDifference, APlaceWithoutARowIsNotSearched) {
  const Watched w = watched_run(Case{});
  EXPECT_FALSE(first_difference(w.plan, w.reference.inputs, w.reference.oracle, w.run, Place{}));
}

}  // namespace
}  // namespace ringscope
