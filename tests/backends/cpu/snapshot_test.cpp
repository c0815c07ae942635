// What a run records: snapshots per rank and step, row events, peak memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "core/footprint.h"
#include "core/schedule_check.h"
#include "tests/backends/cpu/run_case.h"

namespace ringscope::cpu {
namespace {

RunResult recorded(const Plan& plan, const Inputs& inputs, RunOptions::Record record) {
  return run(plan, inputs, {}, {.record = record});
}

// The same inputs with only the keys of some contiguous ring blocks.
Inputs with_keys_of(const Inputs& all, const Layout& layout, const std::vector<int>& blocks) {
  Inputs some = all;
  std::vector<std::int64_t> keys;
  for (const int b : blocks) std::ranges::copy(layout.block(Side::kv, b).positions(), std::back_inserter(keys));
  for (const auto tensor : {&Inputs::k, &Inputs::v}) {
    Shape shape = (all.*tensor).shape;
    shape.rows = std::ssize(keys);
    some.*tensor = Tensor(shape);
    for (std::int64_t b = 0; b < shape.batch; ++b) {
      for (std::int64_t h = 0; h < shape.heads; ++h) {
        for (std::int64_t n = 0; n < shape.rows; ++n) {
          std::copy_n((all.*tensor).row(b, h, keys[static_cast<std::size_t>(n)]), shape.dim,
                      (some.*tensor).row(b, h, n));
        }
      }
    }
  }
  return some;
}

TEST(Snapshots, OfARingHoldTheStateOverTheBlocksThatCameBy) {
  const Plan plan = plan_of("b2 h4/2 s13 d4/3 f64 fwd | contiguous ring r4");
  const Inputs inputs = random_inputs(plan.problem);
  const RunLog log = recorded(plan, inputs, RunOptions::Record::snapshots).log;
  ASSERT_EQ(log.snapshots.size(), 4U * static_cast<std::size_t>(plan.schedule.steps()));
  for (int step = 0; step < 3; ++step) {
    for (int rank = 0; rank < 4; ++rank) {
      const Snapshot& snapshot = log.snapshots[static_cast<std::size_t>(rank * plan.schedule.steps() + step)];
      ASSERT_EQ(std::tie(snapshot.rank, snapshot.step), std::tie(rank, step));
      std::vector<int> blocks;
      for (int back = 0; back <= step; ++back) blocks.push_back((rank + 4 - back) % 4);
      const Inputs some = with_keys_of(inputs, plan.layout, blocks);
      Problem problem = plan.problem;
      problem.len_kv = some.k.shape.rows;
      const Outputs want = oracle<double>(problem, some);
      ASSERT_EQ(snapshot.held.size(), 4U);  // a State per head
      for (const Held& held : snapshot.held) {
        EXPECT_EQ(held.tensor, TensorKind::state);
        EXPECT_EQ(held.block, rank);
        const auto positions = plan.layout.block(Side::q, rank).positions();
        const std::int64_t rows = std::ssize(positions);
        for (std::int64_t n = 0; n < 2 * rows; ++n) {
          const auto at = [&](std::int64_t i) { return held.values[static_cast<std::size_t>(i)]; };
          const double m = at(n), l = at(2 * rows + n);
          const std::int64_t position = positions[static_cast<std::size_t>(n % rows)];
          EXPECT_NEAR(m + std::log(l), *want.lse.row(n / rows, held.head, position), 1e-12);
          for (std::int64_t d = 0; d < 3; ++d) {
            EXPECT_NEAR(at(4 * rows + n * 3 + d) / l, want.o.row(n / rows, held.head, position)[d], 1e-12);
          }
        }
      }
    }
  }
}

TEST(Snapshots, EndWithTheOutputs) {
  for (const std::string& line : lines_of_every_schedule("b1 h6/2 s11 d2 f64 causal", "contiguous", {3, 4})) {
    const Plan plan = plan_of(line);
    const RunResult result = recorded(plan, random_inputs(plan.problem), RunOptions::Record::snapshots);
    std::int64_t compared = 0;
    for (const Snapshot& snapshot : result.log.snapshots) {
      if (snapshot.step != plan.schedule.steps() - 1) continue;
      for (const Held& held : snapshot.held) {
        if (held.tensor != TensorKind::out || plan.layout.owner(held.block) != snapshot.rank) continue;
        const auto positions = plan.layout.block(Side::q, held.block).positions();
        for (std::size_t n = 0; n < positions.size(); ++n) {
          const double* row = result.outputs.o.row(0, held.head, positions[n]);
          EXPECT_EQ(held.values[2 * n], row[0]) << line;
          EXPECT_EQ(held.values[2 * n + 1], row[1]) << line;
          ++compared;
        }
      }
    }
    EXPECT_EQ(compared, 6 * 11) << line;
  }
}

// A floor, so that nothing that fits is refused; not far below, so that little that does not fit is run.
TEST(Snapshots, TakeAtLeastWhatIsCountedBefore) {
  for (const std::string& line : lines_of_every_schedule("b1 h6/2 s11 d2 f64 causal", "contiguous", {3, 4})) {
    const Plan plan = plan_of(line);
    double taken = 0;
    for (const Snapshot& s : recorded(plan, random_inputs(plan.problem), RunOptions::Record::snapshots).log.snapshots) {
      for (const Held& held : s.held) taken += 8.0 * static_cast<double>(held.values.size());
    }
    EXPECT_LE(snapshot_bytes(plan), taken) << line;
    EXPECT_GE(snapshot_bytes(plan), taken / 4) << line;
  }
}

TEST(Snapshots, AreNotTakenUnlessAskedFor) {
  const Plan plan = plan_of("b1 h2 s9 d2 f32 | contiguous ring r3");
  const RunLog log = run(plan, random_inputs(plan.problem)).log;
  EXPECT_TRUE(log.snapshots.empty());
  EXPECT_TRUE(log.rows.empty());
}

TEST(RowEvents, AreOnePerAllowedPair) {
  const Plan plan = plan_of("b2 h4/2 s13 d2 f32 causal window=5,0 | zigzag ring r3");
  const RunLog log = recorded(plan, random_inputs(plan.problem), RunOptions::Record::snapshots_and_rows).log;
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, int> seen;
  for (const RowEvent& e : log.rows) ++seen[{e.batch, e.head, e.query, e.key}];
  std::int64_t allowed = 0;
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t i = 0; i < 13; ++i) {
      for (std::int64_t j = 0; j < 13; ++j) {
        const bool sees = may_see(plan.problem.mask, 13, 13, b, i, j);
        allowed += sees;
        for (std::int64_t h = 0; h < 4; ++h) EXPECT_EQ((seen.contains({b, h, i, j})), sees);
      }
    }
  }
  EXPECT_EQ(std::ssize(log.rows), 4 * allowed);
}

TEST(PeakBytes, OfOneRankAreAllThatItHoldsInTheEnd) {
  const Plan plan = plan_of("b2 h6/2 s13 d8/4 bf16 | contiguous ring r1");
  const std::int64_t q_rows = 2 * 6 * 13, kv_rows = 2 * 2 * 13;
  const std::int64_t q_side = q_rows * (8 * 2 + (4 * 2 + 4) + 4 * 2 + 2 * 4 + 8 * 4);  // Q, Out, dO, Stats, dQ
  const std::int64_t kv_side = kv_rows * ((8 + 4) * 2 + (8 + 4) * 4);                  // KV, dKV
  EXPECT_THAT(run(plan, random_inputs(plan.problem)).peak_bytes, testing::ElementsAre(q_side + kv_side));
}

TEST(PeakBytes, CountTheBlockThatArrivesBesideTheOneInUse) {
  const Plan plan = plan_of("b1 h2 s16 d4 f32 fwd | contiguous ring r4");
  const std::int64_t q = 2 * 4 * 4 * 4, kv = 2 * q, state = 2 * 4 * (4 + 2) * 4;
  EXPECT_THAT(run(plan, random_inputs(plan.problem)).peak_bytes, testing::Each(q + 3 * kv + state));
}

// The proof counts heads in units that no slice divides: here every unit is one head, as in the store.
TEST(PeakBytes, AreThoseOfTheProof) {
  std::vector<std::string> lines = lines_of_every_schedule("b1 h4 s13 d2 bf16 causal", "zigzag", {4});
  std::erase_if(lines, [](const std::string& line) { return line.find("r4 kv-copies") == std::string::npos; });
  std::ranges::copy(lines_of_every_schedule("b2 h1 s13 d2/3 bf16 causal", "zigzag", {2, 4, 6}),
                    std::back_inserter(lines));
  EXPECT_GT(lines.size(), 40U);
  for (const std::string& line : lines) {
    const Plan plan = plan_of(line);
    EXPECT_EQ(run(plan, random_inputs(plan.problem)).peak_bytes, prove(plan).facts.peak_bytes) << line;
  }
}

}  // namespace
}  // namespace ringscope::cpu
