// The row events: what a stepper shows of the online softmax.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/layout.h"
#include "tests/backends/cpu/kernels/whole_attention.h"

namespace ringscope::cpu {
namespace {

Problem problem() {
  Problem p;
  p.batch = 2;
  p.heads_q = 4;
  p.heads_kv = 2;
  p.len_q = p.len_kv = 11;
  p.dim_qk = 3;
  p.dim_v = 2;
  p.mask.causal = true;
  return p;
}

TEST(Naive, RecordsEveryAllowedPairOnce) {
  const Problem p = problem();
  const Attended got = attend_whole(*make_kernel<double>("naive"), p, {.ranks = 3}, some_inputs(p));
  std::map<std::array<std::int64_t, 4>, int> times;
  for (const RowEvent& e : got.events) {
    EXPECT_TRUE(may_see(p.mask, 11, 11, e.batch, e.query, e.key));
    ++times[{e.batch, e.head, e.query, e.key}];
  }
  EXPECT_EQ(times.size(), 2 * 4 * 66U);
  EXPECT_EQ(got.events.size(), times.size());
}

TEST(Naive, RecordsTheRunningMaximumAndSum) {
  const Problem p = problem();
  const Attended got = attend_whole(*make_kernel<double>("naive"), p, {.ranks = 3}, some_inputs(p));
  struct Row {
    double m = -std::numeric_limits<double>::infinity(), l = 0;
  };
  std::map<std::array<std::int64_t, 3>, Row> rows;
  for (const RowEvent& e : got.events) {
    Row& row = rows[{e.batch, e.head, e.query}];
    const double m = std::max(row.m, e.score);
    row.l = row.l * std::exp(row.m - m) + std::exp(e.score - m);
    row.m = m;
    EXPECT_EQ(e.m, m);
    EXPECT_NEAR(e.l, row.l, 1e-14 * row.l);  // sums of at most 11 terms of at most 1: 11 u l, u = 1.1e-16
  }
  for (const auto& [at, row] : rows) {
    EXPECT_NEAR(got.outputs.lse.row(at[0], at[1], at[2])[0], row.m + std::log(row.l), 1e-13);
  }
}

TEST(Naive, AloneRecordsRows) {
  const Problem p = problem();
  for (const KernelKind& kind : kernel_kinds()) {
    const Attended got = attend_whole(*kind.make_double({}), p, {}, some_inputs(p));
    EXPECT_EQ(!got.events.empty(), kind.records_rows) << kind.name;
  }
}

}  // namespace
}  // namespace ringscope::cpu
