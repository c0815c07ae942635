#include "core/schedule_check.h"

#include <gtest/gtest.h>

#include "tests/core/every_plan.h"

namespace ringscope {
namespace {

std::string sentences(const Proof& proof) {
  std::string out;
  for (const Violation& v : proof.violations) out += std::string(name_of(v.rule)) + ": " + v.sentence + "\n";
  return out;
}

constexpr Direction directions[] = {Direction::forward, Direction::forward_and_backward};

std::vector<Mask> masks() {
  return {{},
          {.causal = true},
          {.causal = true, .window = Window{3, 0}, .sinks = 2},
          {.prefix = 2},
          {.window = Window{2, 1}},
          {.causal = true, .offset = -20},
          {.kv_lens = {3}}};
}

TEST(Proof, EveryBuilderIsProved) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 8, 9, 12}) {
    for (const auto& [len_q, len_kv] : {std::pair{17, 17}, {3, 3}, {3, 19}, {24, 7}}) {
      for (const Mask& mask : masks()) {
        for (const Direction direction : directions) {
          for (const char* layout : {"zigzag", "striped", "contiguous"}) {
            const Problem p = small_problem(len_q, len_kv, mask, direction);
            for_each_plan(p, ranks, {.name = layout}, [](const NamedPlan& x) {
              const Proof proof = prove(x.plan);
              EXPECT_TRUE(proof.holds()) << x.name << "\n" << sentences(proof);
            });
          }
        }
      }
    }
  }
}

// Left out of sanitizer builds by its suite's name.
TEST(LargeSchedule, RingsOf1024RanksAreProved) {
  Problem p;
  p.len_q = p.len_kv = 4096;
  for (const bool causal : {false, true}) {
    for (const char* layout : {"contiguous", "zigzag"}) {
      p.mask.causal = causal;
      const Plan plan = make_plan(p, {.layout = {.name = layout}, .ranks = {1, 1024}});
      const Proof proof = prove(plan);
      EXPECT_TRUE(proof.holds()) << sentences(proof);
      const auto& moved = proof.facts.backward.transfers;
      EXPECT_EQ(moved[static_cast<std::size_t>(TensorKind::kv)], 1024 * 1023);
      EXPECT_EQ(moved[static_cast<std::size_t>(TensorKind::dkv)], 1024 * 1023);
    }
  }
}

}  // namespace
}  // namespace ringscope
