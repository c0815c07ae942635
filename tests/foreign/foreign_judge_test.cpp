#include "core/foreign/foreign_judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "core/fill.h"
#include "core/foreign/first_wrong.h"
#include "core/foreign/gather_evidence.h"
#include "core/oracle.h"
#include "tests/core/problems.h"
#include "tests/foreign/their_run.h"

namespace ringscope {
namespace {

TEST(ForeignJudge, RightOutputsPassForEveryMaskTermAndType) {
  std::vector<NamedProblem> problems = masked_problems();
  for (NamedProblem& p : problems_with_terms()) problems.push_back(std::move(p));
  for (auto& [name, p] : problems) {
    for (const ElementType type : {ElementType::f64, ElementType::f32, ElementType::bf16, ElementType::f16}) {
      p.type = type;
      const Judged judged = TheirRun(p).judge();
      EXPECT_EQ(judged.verdict(), Verdict::passed) << name << " " << name_of(type);
      for (const JudgedOutput& output : judged.outputs) {
        EXPECT_TRUE(output.figures.present);
        EXPECT_LE(output.figures.ratio, 1.1) << name << " " << name_of(type);
      }
    }
  }
}

TEST(ForeignJudge, OneElementTwoPercentOffIsSeenAndPlaced) {
  for (int n = 0; n < output_kinds; ++n) {
    TheirRun run(causal(70));
    Tensor* tensors[] = {&run.outputs->o, &run.outputs->lse, &run.outputs->dq, &run.outputs->dk, &run.outputs->dv};
    Tensor& t = *tensors[n];
    double& x = t.row(1, 1, 41)[0];
    x += 0.02 * (std::abs(x) + 0.1);
    const Judged judged = run.judge();
    ASSERT_EQ(judged.first_wrong(), static_cast<Output>(n));
    const WrongRows rows = *judged.of(static_cast<Output>(n)).wrong;
    EXPECT_EQ(rows.batch, 1);
    EXPECT_EQ(rows.head, 1);
    EXPECT_EQ(rows.row, 41);
    EXPECT_EQ(rows.count, 1);
    EXPECT_EQ(rows.of, t.shape.batch * t.shape.heads * t.shape.rows);
    EXPECT_TRUE(rows.sharp);
  }
}

TEST(ForeignJudge, WhatIsNotFiniteIsCountedAndWrong) {
  TheirRun run(causal(40));
  run.outputs->o.row(0, 3, 7)[2] = std::nan("");
  *run.outputs->lse.row(1, 0, 9) = -std::numeric_limits<double>::infinity();
  const Judged judged = run.judge();
  EXPECT_EQ(judged.of(Output::o).figures.nonfinite, 1);
  EXPECT_EQ(judged.of(Output::lse).figures.nonfinite, 1);
  EXPECT_EQ(judged.of(Output::o).wrong->row, 7);
  EXPECT_TRUE(judged.of(Output::lse).wrong->sharp);
}

TEST(ForeignJudge, EmptyRowsHoldWhatIsDeclared) {
  Problem p = causal(40);
  p.len_kv = 30;
  TheirRun run(p);  // rows 0 to 9 see no key
  EXPECT_EQ(run.judge().verdict(), Verdict::passed);
  for (const double wrong : {0.0, std::nan(""), -1e30, std::numeric_limits<double>::infinity()}) {
    *run.outputs->lse.row(0, 0, 3) = wrong;
    EXPECT_EQ(run.judge().of(Output::lse).figures.nonfinite, 1) << wrong;
  }
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < 4; ++h) {
      for (std::int64_t i = 0; i < 10; ++i) *run.outputs->lse.row(b, h, i) = 7;
    }
  }
  Foreign f = run.foreign();
  f.empty_lse = 7;
  EXPECT_EQ(judge_foreign(f, {}).verdict(), Verdict::passed);
  f.empty_o = 1;
  EXPECT_EQ(judge_foreign(f, {}).of(Output::o).figures.verdict, Verdict::failed);
}

TEST(ForeignJudge, SmallLossesOfWeightAreSeenInF32) {
  TheirRun run(causal(70));
  for (double& x : run.outputs->o.values) x *= 0.9999;
  EXPECT_EQ(run.judge().of(Output::o).figures.verdict, Verdict::failed);
}

TEST(ForeignJudge, AnOutputStoredCoarserThanTheInputsIsJudgedByItsOwnType) {
  TheirRun run(causal(40));
  for (double& x : run.outputs->o.values) x = round_to(ElementType::bf16, x);
  Foreign f = run.foreign();
  EXPECT_EQ(judge_foreign(f, {}).of(Output::o).figures.verdict, Verdict::failed);
  f.outputs[0].type = ElementType::bf16;
  EXPECT_EQ(judge_foreign(f, {}).of(Output::o).figures.verdict, Verdict::passed);
}

TEST(ForeignJudge, AFewElementsAreRightWithinTheReachOfTheirRoundings) {
  for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16}) {
    Problem p = causal(1, type);
    p.batch = p.heads_q = p.heads_kv = 1, p.dim_qk = p.dim_v = 64;
    TheirRun run(p);
    double& lse = run.outputs->lse.values.front();
    const double right = lse, probe = 1e-2;
    lse = right + probe;
    const double reach = probe / run.judge().of(Output::lse).row_reach.front();
    lse = right + 0.9 * reach;
    EXPECT_EQ(run.judge().of(Output::lse).figures.verdict, Verdict::passed) << name_of(type);
    lse = right + 5 * reach;
    EXPECT_EQ(run.judge().of(Output::lse).figures.verdict, Verdict::failed) << name_of(type);
  }
}

TEST(ForeignJudge, ThreadsChangeNoBit) {
  TheirRun run(causal(70, ElementType::bf16));
  for (double& x : run.outputs->dk.values) x *= 1.01;
  const Judged one = run.judge(1), three = run.judge(3);
  for (std::size_t n = 0; n < one.outputs.size(); ++n) {
    EXPECT_EQ(one.outputs[n].figures.ratio, three.outputs[n].figures.ratio);
    EXPECT_EQ(one.outputs[n].row_errors, three.outputs[n].row_errors);
    EXPECT_EQ(one.outputs[n].divisor, three.outputs[n].divisor);
  }
}

TEST(ForeignJudge, KeysThatNoQuerySeesDoNotRaiseTheLargestScore) {
  Problem p = causal(40);
  p.mask.kv_lens = {25, 25};
  TheirRun run(p);
  const double before = run.judge().largest_score;
  for (std::int64_t j = 25; j < 40; ++j) run.inputs->k.row(0, 0, j)[0] = 1e6;
  EXPECT_EQ(run.judge().largest_score, before);
  run.inputs->k.row(0, 0, 24)[0] = 1e6;
  EXPECT_GT(run.judge().largest_score, 100 * before);
}

TEST(ForeignJudge, SaysWhatTheInputsCannotShow) {
  TheirRun run(causal(40));
  EXPECT_FALSE(run.judge().constant_v || run.judge().constant_d_o || run.judge().zero_scores);
  for (double& x : run.inputs->v.values) x = 3;
  for (double& x : run.inputs->d_o.values) x = 1;
  for (double& x : run.inputs->k.values) x = 0;
  EXPECT_TRUE(run.judge().constant_v && run.judge().constant_d_o && run.judge().zero_scores);
}

// The row's O and LSE when the keys of one rank count `times` times.
void spoil_row(TheirRun& run, const Layout& layout, int rank, double times, std::int64_t b, std::int64_t h,
               std::int64_t i) {
  const Problem& p = run.problem;
  std::vector<double> weight(static_cast<std::size_t>(p.len_kv));
  double sum = 0;
  for (std::int64_t j = 0; j <= i; ++j) {
    double s = 0;
    for (std::int64_t d = 0; d < p.dim_qk; ++d) {
      s += run.inputs->q.row(b, h, i)[d] * run.inputs->k.row(b, h / p.group(), j)[d];
    }
    const auto mine = layout.block(Side::kv, rank).positions();
    const bool spoiled = std::find(mine.begin(), mine.end(), j) != mine.end();
    weight[static_cast<std::size_t>(j)] = std::exp(s * p.scale()) * (spoiled ? times : 1);
    sum += weight[static_cast<std::size_t>(j)];
  }
  *run.outputs->lse.row(b, h, i) = std::log(sum);
  for (std::int64_t d = 0; d < p.dim_v; ++d) {
    double o = 0;
    for (std::int64_t j = 0; j <= i; ++j) {
      o += weight[static_cast<std::size_t>(j)] / sum * run.inputs->v.row(b, h / p.group(), j)[d];
    }
    run.outputs->o.row(b, h, i)[d] = o;
  }
}

TEST(FirstWrong, NamesRankLocalRowAndTheKvBlockThatIsMissingOrTwice) {
  for (const double times : {0.0, 2.0}) {
    TheirRun run(causal(64));
    const Layout layout = make_layout({.name = "zigzag"}, run.problem, 4, 1);
    spoil_row(run, layout, 1, times, 1, 2, 50);
    const auto first = find_first_wrong(run.foreign(), run.judge(), layout);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->output, Output::o);
    EXPECT_EQ(first->rows.row, 50);
    EXPECT_EQ(first->rank, 1);        // chunk 6 of 8
    EXPECT_EQ(first->local_row, 10);  // its third row, after the 8 of chunk 1
    EXPECT_EQ(first->kv_block, 1);
  }
}

TEST(FirstWrong, NamesTheKvBlockThatDqLacks) {
  TheirRun run(causal(64));
  const Layout layout = make_layout({.name = "contiguous"}, run.problem, 4, 1);
  const Problem& p = run.problem;
  const std::int64_t b = 1, h = 3, i = 60, h_kv = h / p.group();
  for (const std::int64_t j : layout.block(Side::kv, 2).positions()) {
    double s = 0, dp = 0, delta = 0;
    for (std::int64_t d = 0; d < p.dim_qk; ++d) s += run.inputs->q.row(b, h, i)[d] * run.inputs->k.row(b, h_kv, j)[d];
    for (std::int64_t d = 0; d < p.dim_v; ++d) {
      dp += run.inputs->d_o.row(b, h, i)[d] * run.inputs->v.row(b, h_kv, j)[d];
      delta += run.inputs->d_o.row(b, h, i)[d] * run.outputs->o.row(b, h, i)[d];
    }
    const double ds = std::exp(s * p.scale() - *run.outputs->lse.row(b, h, i)) * (dp - delta) * p.scale();
    for (std::int64_t d = 0; d < p.dim_qk; ++d)
      run.outputs->dq.row(b, h, i)[d] -= ds * run.inputs->k.row(b, h_kv, j)[d];
  }
  const auto first = find_first_wrong(run.foreign(), run.judge(), layout);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->output, Output::dq);
  EXPECT_EQ(first->rank, 3);
  EXPECT_EQ(first->local_row, 12);
  EXPECT_EQ(first->kv_block, 2);
}

TEST(FirstWrong, NamesNoKvBlockWhenNoneExplainsTheRow) {
  TheirRun run(causal(64));
  const Layout layout = make_layout({.name = "zigzag"}, run.problem, 4, 1);
  run.outputs->o.row(1, 2, 50)[3] += 0.5;
  const auto first = find_first_wrong(run.foreign(), run.judge(), layout);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->rank, 1);
  EXPECT_EQ(first->kv_block, -1);
}

TEST(GatherEvidence, SmallDumpsAreSeenWhole) {
  TheirRun run(causal(64));
  run.outputs->o.row(1, 2, 50)[3] += 0.5;
  const Judged judged = run.judge();
  const Gathered gathered = gather_evidence(run.foreign(), judged, *find_first_wrong(run.foreign(), judged, {}), {}, 2);
  ASSERT_TRUE(gathered.evidence);
  EXPECT_TRUE(gathered.remark.empty());
  EXPECT_EQ(gathered.evidence->problem, run.problem);
  EXPECT_EQ(gathered.evidence->given.o.values, run.outputs->o.values);
  EXPECT_EQ(gathered.evidence->first_wrong->row, 50);
}

// Whatever part is gathered, what is right there is right in the whole.
TEST(GatherEvidence, LargeDumpsAreSeenAroundTheFirstWrongPlace) {
  for (const std::int64_t rows : {800, 1200}) {  // one KV head fits; some of its rows fit
    Problem p{.batch = 1,
              .heads_q = 4,
              .heads_kv = 2,
              .len_q = rows,
              .len_kv = rows,
              .dim_qk = 64,
              .dim_v = 64,
              .mask = {.causal = true},
              .direction = Direction::forward};
    p.terms.alibi = true;
    TheirRun run(p);
    const Layout layout = make_layout({.name = "striped"}, p, 4, 1);
    run.outputs->o.row(0, 3, 700)[5] += 0.5;
    const Judged judged = run.judge();
    const Gathered gathered =
        gather_evidence(run.foreign(), judged, *find_first_wrong(run.foreign(), judged, layout), layout, 2);
    ASSERT_TRUE(gathered.evidence);
    EXPECT_NE(gathered.remark.find("KV head 1"), std::string::npos) << gathered.remark;
    const Evidence& e = *gathered.evidence;
    EXPECT_EQ(e.problem.heads_kv, 1);
    EXPECT_EQ(e.first_wrong->head, 1);
    const std::int64_t at = e.first_wrong->row;
    EXPECT_NEAR(e.given.o.row(0, 1, at)[5] - e.right.o.row(0, 1, at)[5], 0.5, 1e-5);
    for (std::int64_t i = 0; i < e.problem.len_q; ++i) {
      if (i != at) {
        ASSERT_NEAR(*e.given.lse.row(0, 1, i), *e.right.lse.row(0, 1, i), 1e-5) << i;
        ASSERT_NEAR(e.given.o.row(0, 1, i)[5], e.right.o.row(0, 1, i)[5], 1e-5) << i;
      }
    }
    ASSERT_TRUE(e.layout);
    e.layout->validate(e.problem.len_q, e.problem.len_kv);
  }
}

}  // namespace
}  // namespace ringscope
