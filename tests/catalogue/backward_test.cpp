// The museum, hall of backward passes: the outputs are right and the gradients are not (docs/museum.md, B1 to B15).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/catalogue/exhibit.h"
#include "tests/catalogue/mistaken_kernel.h"

namespace ringscope {
namespace {

// The step at which the backward begins.
int first_backward_step(const Schedule& schedule) {
  int step = 0;
  while (schedule.pass(step) == Pass::forward) ++step;
  return step;
}

// B1. KV rotates in local variables; the gradient reads the tensors that were saved at step 0.
class FirstBlockForEver final : public MistakenKernel {
 public:
  void backward(const Call& call) const override {
    std::vector<const double*>& saved = saved_[static_cast<std::size_t>(call.rank)];
    if (saved.empty()) saved = call.kv;
    Call wrong = call;
    wrong.kv = saved;
    right().backward(wrong);
  }

 private:
  mutable std::array<std::vector<const double*>, 8> saved_;  // [rank]
};

TEST(Backwards, TheFirstKvBlockUsedAtEveryStepSpoilsGradientsFromTheSecondOn) {
  const std::string line = "b1 h2 s8 d4 f64 | contiguous ring r4";
  const Report report = verified(line, kernel_with<FirstBlockForEver>());
  expect_place(report, "bounds", Output::dq);
  EXPECT_EQ(report.where->step, first_backward_step(plan_of(line).schedule) + 1) << report.reason;
  EXPECT_EQ(report.of(Output::o).verdict, Verdict::passed);
  EXPECT_EQ(verified("b1 h2 s8 d4 f64 | contiguous ring r1", kernel_with<FirstBlockForEver>()).verdict,
            Verdict::passed);
}

// B2. K saved as [S, H] is transposed once more; where heads and rows are as many, that is a legal shape.
class SavedKTransposedAgain final : public MistakenKernel {
 public:
  void backward(const Call& call) const override {
    const auto heads = static_cast<std::int64_t>(call.kv.size()), dim = call.problem.dim_qk + call.problem.dim_v;
    ASSERT_EQ(call.kv_rows.at(0), heads);
    std::vector<std::vector<double>> blocks;
    for (std::int64_t h = 0; h < heads; ++h) {
      const double* right = call.kv[static_cast<std::size_t>(h)];
      blocks.emplace_back(right, right + heads * dim);
      for (std::int64_t s = 0; s < heads; ++s) {
        std::copy_n(call.kv[static_cast<std::size_t>(s)] + h * call.problem.dim_qk, call.problem.dim_qk,
                    blocks.back().begin() + s * call.problem.dim_qk);
      }
    }
    Call wrong = call;
    for (std::size_t h = 0; h < blocks.size(); ++h) wrong.kv[h] = blocks[h].data();
    right().backward(wrong);
  }
};

TEST(Backwards, SavedKeysTransposedTwiceGiveWrongGradientsWhereHeadsEqualRows) {
  const Report report = verified("b1 h4 s4 d4 f64 | contiguous ring r1", kernel_with<SavedKTransposedAgain>());
  expect_place(report, "bounds", Output::dq);
}

// B4. Odd N: a hop that copies dKV where it should add loses what the ranks before it gave.
TEST(Backwards, AHopThatCopiesDkvInsteadOfAddingIsRefused) {
  const Plan plan = plan_of("b1 h2 s12 d4 f64 causal | zigzag all-gather r3");
  const Violation v = expect_refused(plan, with_plant(plan, "dKV replaces"), Rule::combine);
  EXPECT_EQ(v.slice.tensor, TensorKind::dkv);
}

// B5. No dKV moves in the first step, and one hop more in the end: gradients lag behind KV. That is right; what is
// wrong is a chain that stops before it is home.
TEST(Backwards, ADkvChainOneHopShortNeverComesHome) {
  const Plan plan = plan_of("b1 h2 s8 d4 f64 | contiguous ring r2");
  const auto dkv_moves = [&](int step) {
    return std::ranges::count(plan.schedule.moves_of(step), TensorKind::dkv, &Move::tensor);
  };
  EXPECT_EQ(dkv_moves(first_backward_step(plan.schedule)), 0);
  EXPECT_EQ(prove(plan).facts.backward.transfers[static_cast<std::size_t>(TensorKind::dkv)], 2);
  expect_place(verified("b1 h2 s8 d4 f64 | contiguous ring r2 | cpu:naive | fault=dkv-one-hop-short"), "bounds",
               Output::dk);
  const Violation v = expect_refused(plan, with_plant(plan, "dKV hop dropped"), Rule::gradient);
  EXPECT_EQ(v.slice.tensor, TensorKind::dkv);
}

// Two chunks of keys.
void in_chunks(std::vector<Entry>& entries, std::int64_t size) {
  for (Entry& entry : entries) entry.part = static_cast<int>(entry.key / size);
}

// B6. The inner backward takes its own chunk's O and LSE where the row's are meant.
TEST(Backwards, AChunksOwnOutputAndLseInTheBackwardMissTheRest) {
  const Exhibit e("b1 h2 s8 d4 f64 | contiguous ring r2");
  const auto chunks = [](const RowAt&, std::vector<Entry>& entries) { in_chunks(entries, 4); };
  e.expect_passes(e.with({.entries = chunks}));
  const Outputs own_delta = e.with({.entries = chunks, .delta = DeltaFrom::own_part});
  const Outputs own_lse = e.with({.entries = chunks, .weights = WeightsFrom::own_part});
  e.expect_caught(own_delta, "bounds", Output::dq);
  e.expect_caught(own_lse, "bounds", Output::dq);
  EXPECT_EQ(e.diagnosed(own_delta), "delta_local");
  EXPECT_EQ(e.diagnosed(own_lse), "lse_local");
  expect_place(verified("b1 h2 s8 d4 f64 | contiguous ring r2 | cpu:naive | fault=delta-local"), "bounds", Output::dq);
  const Exhibit one_chunk("b1 h2 s4 d4 f64 | contiguous ring r2");
  one_chunk.expect_passes(
      one_chunk.with({.entries = chunks, .delta = DeltaFrom::own_part, .weights = WeightsFrom::own_part}));
}

// B7. The lengths of the last step, half of the rows in zigzag, are taken for all steps.
TEST(Backwards, LengthsOfTheLastStepCutTheBackwardOfTheFirst) {
  const Exhibit e("b1 h2 s8 d4 f64 causal | zigzag ring r2");
  const auto half_of_the_rows = [](const RowAt& at, std::vector<Entry>& entries) {
    const auto rank_of = [](std::int64_t position) { return position < 2 || position >= 6 ? 0 : 1; };
    for (Entry& entry : entries) {
      const bool first_step = rank_of(at.query) == rank_of(entry.key), first_half = at.query < 4;
      entry.walked = !(first_step && first_half);
    }
  };
  EXPECT_EQ(e.expect_caught(e.with({.entries = half_of_the_rows}), "bounds", Output::dq).row, 1);
}

// B9. The forward grew by an argument, the backward returns one gradient too few.
TEST(Backwards, OneGradientTooFewIsMissingNotZero) {
  const Exhibit e("b1 h2 s8 d4 f64 | contiguous ring r2");
  Outputs wrong = e.right();
  wrong.dv = {};
  e.expect_caught(wrong, "shape", Output::dv);
}

// B10. Each rank must hand in its own contributions; the same list from all is N times one of them.
TEST(Backwards, ContributionsOfOneRankReducedNTimesAreNotTheSum) {
  const Exhibit e("b1 h2 s8 d4 f64 | contiguous all-gather r2");
  Outputs wrong = e.with({.entries = [](const RowAt& at, std::vector<Entry>& entries) {
    for (Entry& entry : entries) entry.booked = at.query < 4;  // rank 0's queries
  }});
  for (double& x : wrong.dk.values) x *= 2;
  for (double& x : wrong.dv.values) x *= 2;
  e.expect_caught(wrong, "bounds", Output::dk);
}

// B12. The derivative of the plain sum: right as long as dO is all ones, so such data are not trusted.
TEST(Backwards, AnIncomingGradientIgnoredIsRightForOnesAlone) {
  const Exhibit e("b1 h2 s8 d4 f64 | contiguous ring r2");
  Inputs ones = e.reference.inputs;
  std::ranges::fill(ones.d_o.values, 1.0);
  e.expect_caught(run(e.plan, ones), "bounds", Output::dq);
}

// B13. The random state of the forward is not carried to the backward.
class BackwardDrawsAgain final : public MistakenKernel {
 public:
  void backward(const Call& call) const override {
    Call wrong = call;
    ++wrong.dropout_seed;
    right().backward(wrong);
  }
};

TEST(Backwards, DropoutDrawnAnewInTheBackwardIsAnotherMask) {
  expect_place(verified("b1 h2 s8 d4 f64 dropout=0.3 | contiguous ring r2", kernel_with<BackwardDrawsAgain>()),
               "bounds", Output::dq);
  EXPECT_EQ(verified("b1 h2 s8 d4 f64 | contiguous ring r2", kernel_with<BackwardDrawsAgain>()).verdict,
            Verdict::passed);
}

// B14. The KV head as h / Hkv instead of h / group: a bijection only where both are the same.
TEST(Backwards, AGradientsHeadSplitByTheWrongCountIsRightFor4Over2Only) {
  const auto booked_by_wrong_count = [](const Exhibit& e) {
    Outputs out = e.right();
    out.dk = Tensor(e.c.problem.shape_k());
    const std::int64_t heads_kv = e.c.problem.heads_kv;
    for (std::int64_t head = 0; head < e.c.problem.heads_q; ++head) {
      const Outputs part = e.with({.entries = [=](const RowAt& at, std::vector<Entry>& entries) {
        for (Entry& entry : entries) entry.booked = at.head == head;
      }});
      if (head / heads_kv >= heads_kv) continue;  // written out of range
      const std::int64_t from = head / e.c.problem.group(), to = head / heads_kv;
      for (std::int64_t n = 0; n < out.dk.shape.rows * out.dk.shape.dim; ++n) {
        out.dk.row(0, to, 0)[n] += part.dk.row(0, from, 0)[n];
      }
    }
    return out;
  };
  const Exhibit hidden("b1 h4/2 s8 d4 f64 | contiguous ring r2");
  hidden.expect_passes(booked_by_wrong_count(hidden));
  const Exhibit e("b1 h6/2 s8 d4/3 f64 | contiguous ring r2");
  e.expect_caught(booked_by_wrong_count(e), "bounds", Output::dk);
}

// B15. The forward takes the given scale, the backward 1 / sqrt(D).
class BackwardForgetsTheScale final : public MistakenKernel {
 public:
  void backward(const Call& call) const override {
    Problem other = call.problem;
    other.terms.scale.reset();
    right().backward(with_problem(call, other));
  }
};

TEST(Backwards, ADefaultScaleInTheBackwardAloneShowsForOtherScales) {
  expect_place(verified("b1 h2 s8 d4 f64 scale=0.3 | contiguous ring r2", kernel_with<BackwardForgetsTheScale>()),
               "bounds", Output::dq);
  EXPECT_EQ(verified("b1 h2 s8 d4 f64 | contiguous ring r2", kernel_with<BackwardForgetsTheScale>()).verdict,
            Verdict::passed);
}

}  // namespace
}  // namespace ringscope
