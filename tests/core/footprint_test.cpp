#include "core/footprint.h"

#include <gmock/gmock.h>

#include <numeric>

#include "core/case.h"
#include "core/compare.h"
#include "core/error.h"
#include "core/recipe.h"
#include "core/schedule_check.h"

namespace ringscope {
namespace {

using ::testing::HasSubstr;

double bytes_of(const Tensor& x) {
  return 8.0 * static_cast<double>(x.values.size());
}

double bytes_of(const Outputs& x) {
  return bytes_of(x.o) + bytes_of(x.lse) + bytes_of(x.dq) + bytes_of(x.dk) + bytes_of(x.dv);
}

TEST(Footprint, IsWhatTheTensorsOfAVerdictHold) {
  for (const Direction direction : {Direction::forward, Direction::forward_and_backward}) {
    for (const ElementType type : {ElementType::f64, ElementType::bf16}) {
      const Problem p{.batch = 2,
                      .heads_q = 6,
                      .heads_kv = 2,
                      .len_q = 7,
                      .len_kv = 11,
                      .dim_qk = 5,
                      .dim_v = 3,
                      .type = type,
                      .direction = direction};
      const Reference r = make_reference(p, Fill::random, 1);
      const Footprint f = footprint_of_verify(p);
      EXPECT_EQ(f.inputs, bytes_of(r.inputs.q) + bytes_of(r.inputs.k) + bytes_of(r.inputs.v) + bytes_of(r.inputs.d_o));
      EXPECT_EQ(f.outputs, bytes_of(r.oracle));
      EXPECT_EQ(f.judgement, bytes_of(r.oracle) + bytes_of(r.magnitudes) + (r.baseline ? bytes_of(*r.baseline) : 0));
    }
  }
}

std::string refusal(const std::function<void()>& ask) {
  try {
    ask();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::bad_request);
    return e.what();
  }
  return {};
}

TEST(Footprint, WhatDoesNotFitIsRefusedAndWhatFitsIsNot) {
  const Problem p{.len_q = 1 << 20, .len_kv = 1 << 20};
  const Footprint f = footprint_of_verify(p);
  EXPECT_EQ(refusal([&] { require_room(f, f.total()); }), "");
  EXPECT_EQ(refusal([&] { require_room(f, 0); }), "") << "nobody knows what is free";
  EXPECT_THAT(refusal([&] { require_room(f, f.total() - 1); }), HasSubstr("too large"));
}

// A floor: what fits is not refused.
TEST(Footprint, WhatRanksAndSnapshotsHoldIsNotCountedTooHigh) {
  for (const char* line :
       {"h2 s31 d8/4 f32 causal | zigzag ring r3", "h2 s17 f64 | ulysses r2", "h4 s29 f32 fwd | pass-q r3",
        "h4 s16 f32 | usp r2x2", "h2 s24 f64 | bidi r3", "h2 s24 f32 | ring r3 backward=qside"}) {
    const Case c = parse_case(line);
    const Plan plan = make_plan(c.problem, c.recipe);
    const Footprint f = footprint_of_run(c.problem);
    const auto peaks = prove(plan).facts.peak_bytes;
    EXPECT_LE(f.ranks, std::accumulate(peaks.begin(), peaks.end(), 0.0)) << line;
    EXPECT_GT(snapshot_bytes(plan), f.outputs) << line;
  }
}

TEST(Footprint, RanksWidenNarrowTypes) {
  const Problem f32{.type = ElementType::f32}, bf16{.type = ElementType::bf16};
  EXPECT_EQ(footprint_of_run(bf16).ranks, footprint_of_run(f32).ranks);
  const Footprint f = footprint_of_run(bf16);
  const std::vector<std::int64_t> held{1000, 1000};
  const double beside = f.total() - f.ranks, widened = 2.0 * 4 * 64 * 16 * 5;  // 2 bytes more of Q, K, V, O and dO
  EXPECT_EQ(refusal([&] { require_room_for_ranks(bf16, held, f, beside + 2000 + widened); }), "");
  EXPECT_THAT(refusal([&] { require_room_for_ranks(bf16, held, f, beside + 1999 + widened); }), HasSubstr("too large"));
}

TEST(Footprint, APlanIsRefusedBeforeItIsMade) {
  const Problem p{.len_q = 4096, .len_kv = 4096};
  for (const char* schedule : {"ring", "all-gather", "pass-q"}) {
    const Recipe recipe{.schedule = schedule, .ranks = {1, 64, false}};
    EXPECT_EQ(refusal([&] { make_plan(p, recipe, {1e9}); }), "") << schedule;
    EXPECT_THAT(refusal([&] { make_plan(p, recipe, {1e4}); }), HasSubstr("moves")) << schedule;
  }
}

TEST(Footprint, ReferencesTellHowFarTheyAre) {
  double last = 0;
  int told = 0;
  make_reference({}, Fill::random, 1, Weights::kept, [&](double done) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, 1);
    last = done;
    ++told;
  });
  EXPECT_GT(told, 3);
  EXPECT_DOUBLE_EQ(last, 1);
}

}  // namespace
}  // namespace ringscope
