#include "core/diagnosis/diagnosis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "core/diagnosis/differs.h"
#include "core/diagnosis/hypothesis.h"
#include "core/diagnosis/what_if.h"
#include "core/fill.h"
#include "core/foreign/first_wrong.h"
#include "core/foreign/gather_evidence.h"
#include "core/foreign/units.h"
#include "core/oracle.h"
#include "core/recipe.h"
#include "core/tensor_of.h"
#include "formats/dump_foreign.h"
#include "tests/foreign/dumps.h"

namespace ringscope {
namespace {

TEST(Diagnosis, EveryFaultOfTheDumpsIsNamed) {
  for (const ExpectedDump& expected : expected_dumps()) {
    if (!expected.expected.at("fault").is_string()) continue;
    const Dump dump = read_dump(expected.paths, expected.words);
    const Foreign foreign = foreign_of(dump);
    const Judged judged = judge_foreign(foreign, {.threads = all_threads()});
    const auto first = find_first_wrong(foreign, judged, dump.layout);
    ASSERT_TRUE(first) << expected.name;
    const Gathered gathered = gather_evidence(foreign, judged, *first, dump.layout, all_threads());
    ASSERT_TRUE(gathered.evidence) << expected.name;
    const auto diagnosis = diagnose(*gathered.evidence);
    ASSERT_TRUE(diagnosis) << expected.name;
    EXPECT_EQ(diagnosis->name, expected.expected.at("fault").get<std::string>()) << diagnosis->evidence;
    EXPECT_TRUE(diagnosis->certain) << expected.name << ": " << diagnosis->evidence;
  }
}

// A problem on which many mistakes show.
struct Scene {
  Problem problem;
  Recipe recipe;
  Inputs inputs;
  Evidence evidence;

  Scene(Problem p, Recipe r) : problem(std::move(p)), recipe(std::move(r)) {
    inputs = make_inputs(problem, Fill::random, 5);
    evidence.problem = problem, evidence.inputs = inputs;
    evidence.right = oracle<double>(problem, inputs);
    evidence.layout = make_layout(recipe.layout, problem, recipe.ranks.count(), 1);
    evidence.given = evidence.right;
    round(evidence.given);
    measure();
  }

  // As a right kernel of the type leaves them.
  void round(Outputs& outputs) const {
    for (int n = 0; n < output_kinds; ++n) {
      const ElementType type = n == static_cast<int>(Output::lse) ? ElementType::f32 : output_type(problem.type);
      for (double& x : tensor_of(outputs, static_cast<Output>(n)).values) x = round_to(type, x);
    }
  }

  // What a judge would say of evidence.given.
  void measure() {
    evidence.first_wrong.reset();
    for (int n = 0; n < output_kinds; ++n) {
      const Output output = static_cast<Output>(n);
      const Tensor &given = tensor_of(evidence.given, output), &right = tensor_of(evidence.right, output);
      double most = 0;
      for (const double x : right.values) most = std::isfinite(x) ? std::max(most, std::abs(x)) : most;
      const auto at = static_cast<std::size_t>(n);
      evidence.divisor[at] = 4 * unit_roundoff(problem.type) * std::max(most, 1e-30);
      evidence.figures[at] = {.present = !given.empty()};
      for (std::size_t i = 0; i < given.values.size(); ++i) {
        if (!differs(given.values[i], right.values[i], 6 * evidence.divisor[at])) continue;
        evidence.figures[at].verdict = Verdict::failed;
        if (evidence.first_wrong) break;
        const auto row = static_cast<std::int64_t>(i) / given.shape.dim;
        evidence.first_wrong = Place{.output = output,
                                     .batch = row / given.shape.rows / given.shape.heads,
                                     .head = row / given.shape.rows % given.shape.heads,
                                     .row = row % given.shape.rows};
        break;
      }
    }
  }
};

std::vector<Scene> scenes() {
  const auto problem = [](Mask mask, ScoreTerms terms, std::int64_t len_q = 29, std::int64_t len_kv = 29) {
    Problem p;
    p.batch = mask == Mask{} || !mask.kv_lens.empty() ? 2 : 1;
    p.heads_q = 4, p.heads_kv = 2, p.len_q = len_q, p.len_kv = len_kv, p.dim_qk = p.dim_v = 8;
    p.mask = std::move(mask), p.terms = terms;
    return p;
  };
  const auto recipe = [](const char* layout, int ranks) {
    Recipe r;
    r.layout.name = layout, r.ranks = {1, ranks, false};
    return r;
  };
  std::vector<Scene> out;
  out.emplace_back(problem({}, {}), recipe("contiguous", 4));
  out.emplace_back(problem({.causal = true}, {.scale = 0.5}), recipe("zigzag", 4));
  out.emplace_back(problem({.causal = true}, {.softcap = 2, .alibi = true}), recipe("striped", 3));
  out.emplace_back(problem({.window = Window{9, 4}, .sinks = 2}, {.sink_logit = true}), recipe("zigzag", 4));
  out.emplace_back(problem({.causal = true, .docs = {0, 9, 25}}, {}), recipe("zigzag", 3));
  out.emplace_back(problem({.prefix = 8, .kv_lens = {29, 20}}, {}), recipe("contiguous", 3));
  out.emplace_back(problem({.causal = true}, {}, 18, 28), recipe("contiguous", 4));
  out.emplace_back(problem({.causal = true, .offset = 0}, {}, 18, 28), recipe("contiguous", 4));
  return out;
}

TEST(Diagnosis, RightOutputsLookLikeNoMistake) {
  for (const Scene& scene : scenes()) EXPECT_FALSE(diagnose(scene.evidence)) << scene.recipe.layout.name;
}

// Each mistake, planted at a place, is found again under its own name; a wrong name is never certain.
TEST(Diagnosis, EveryMistakeIsNamedAgain) {
  std::set<std::string_view> planted;
  int named = 0, all = 0;
  for (Scene& scene : scenes()) {
    for (const Hypothesis& mistake : hypotheses()) {
      scene.evidence.given = scene.evidence.right;
      scene.round(scene.evidence.given);
      for (const Output place : {Output::o, Output::dk}) {
        scene.evidence.first_wrong = Place{.output = place, .batch = 0, .head = 1, .row = 15};
        std::optional<Outputs> guess;
        mistake.guess(scene.evidence, [&](Guess g) {
          if (!guess) guess = std::move(g.outputs);
        });
        if (!guess) continue;
        scene.round(*guess);
        scene.evidence.given = *guess;
        scene.measure();
        if (!scene.evidence.first_wrong) continue;  // this mistake changes nothing here
        planted.insert(mistake.name);
        ++all;
        const auto diagnosis = diagnose(scene.evidence);
        named += diagnosis && diagnosis->name == mistake.name;
        if (diagnosis && diagnosis->name != mistake.name) {
          EXPECT_FALSE(diagnosis->certain) << mistake.name << " taken for " << diagnosis->name;
        }
        break;
      }
    }
  }
  EXPECT_GE(planted.size(), 35u);
  EXPECT_GE(named, all * 9 / 10) << named << " of " << all;
}

struct Spoiled {
  std::string name, detail;
  std::function<void(Outputs&)> spoil;
};

// On top of right outputs: what a stranger's kernel got wrong after all was computed.
TEST(Diagnosis, GradientsTimesANumberAndCopiedHeadsAreNamed) {
  const auto times = [](Tensor& t, double by) {
    for (double& x : t.values) x *= by;
  };
  const auto copy = [](Tensor& t, std::int64_t to, std::int64_t from) {
    for (std::int64_t b = 0; b < t.shape.batch; ++b) {
      std::copy_n(t.row(b, from, 0), t.shape.rows * t.shape.dim, t.row(b, to, 0));
    }
  };
  const double root = std::sqrt(8.0);
  const std::vector<Spoiled> all = {
      {"gradient_negated", "dq", [=](Outputs& o) { times(o.dq, -1); }},
      {"gradient_negated", "dq, dk, dv", [=](Outputs& o) { times(o.dq, -1), times(o.dk, -1), times(o.dv, -1); }},
      {"gradient_zero", "dk", [=](Outputs& o) { times(o.dk, 0); }},
      {"gradient_factor", "dk by sqrt(D)", [=](Outputs& o) { times(o.dk, root); }},
      {"gradient_factor", "dq by log 2, dv by 1/sqrt(D)",
       [=](Outputs& o) { times(o.dq, std::log(2.0)), times(o.dv, 1 / root); }},
      {"head_copied", "head 2 holds head 0", [=](Outputs& o) { copy(o.o, 2, 0); }},
      {"head_copied", "head 1 holds head 3, head 2 holds head 3",
       [=](Outputs& o) { copy(o.o, 1, 3), copy(o.o, 2, 3), copy(o.lse, 1, 3), copy(o.lse, 2, 3); }},
      {"heads_swapped", "heads 1 and 2",
       [=](Outputs& o) {
         const Tensor before = o.o;
         copy(o.o, 1, 2);
         std::copy_n(before.row(0, 1, 0), before.shape.rows * before.shape.dim, o.o.row(0, 2, 0));
       }},
      {"dk_no_scale", "", [=](Outputs& o) { times(o.dk, 2); }}};
  for (const Spoiled& spoiled : all) {
    Scene scene = std::move(scenes()[1]);  // scale 1/2
    spoiled.spoil(scene.evidence.given);
    scene.measure();
    const auto diagnosis = diagnose(scene.evidence);
    ASSERT_TRUE(diagnosis) << spoiled.name;
    EXPECT_EQ(diagnosis->name, spoiled.name) << diagnosis->evidence;
    EXPECT_TRUE(diagnosis->certain) << diagnosis->evidence;
    EXPECT_NE(diagnosis->evidence.find(spoiled.detail), std::string::npos) << diagnosis->evidence;
  }
}

TEST(Diagnosis, NoiseIsNoKnownPattern) {
  Scene scene = std::move(scenes()[1]);
  for (std::size_t n = 0; n < scene.evidence.given.o.values.size(); n += 7) {
    scene.evidence.given.o.values[n] += 0.01 * static_cast<double>(n % 5 + 1);
  }
  scene.measure();
  EXPECT_FALSE(diagnose(scene.evidence));
}

// Row 0 of a causal mask sees one key: its o is that value, whatever the query.
TEST(Diagnosis, ARowWithOneKeyIsNotSaidToReadAnotherRow) {
  Scene scene = std::move(scenes()[1]);
  Mistake mistake;
  mistake.query_row = [](const RowAt& at) { return at.batch == 0 && at.head == 1 && at.query == 0 ? 1 : at.query; };
  const Outputs wrong = what_if(scene.problem, scene.inputs, mistake);
  scene.evidence.given = wrong;
  scene.round(scene.evidence.given);
  scene.measure();
  ASSERT_TRUE(scene.evidence.first_wrong);
  const auto diagnosis = diagnose(scene.evidence);
  ASSERT_TRUE(diagnosis);
  EXPECT_EQ(diagnosis->name, "one_element");
}

TEST(Diagnosis, NamesAreUniqueAndHaveSentences) {
  std::set<std::string_view> names;
  for (const Hypothesis& h : hypotheses()) {
    EXPECT_TRUE(names.insert(h.name).second) << h.name;
    EXPECT_FALSE(h.sentence.empty());
  }
}

}  // namespace
}  // namespace ringscope
