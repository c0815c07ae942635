#include "core/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/error.h"
#include "tests/core/schedules/recipes.h"

namespace ringscope {
namespace {

using testing::HasSubstr;

std::string refusal(const Problem& problem, const Recipe& recipe) {
  try {
    validate(recipe, problem);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::bad_request);
    return e.what();
  }
  return "not refused";
}

TEST(Recipe, RefusesAnUnknownScheduleWithTheNearestWord) {
  EXPECT_THAT(refusal(problem_of(8, 8, both), recipe_of("rnig", {1, 4, false})), HasSubstr("`ring`"));
}

TEST(Recipe, RefusesRanksThatCannotBe) {
  const Problem problem = problem_of(8, 8, both);
  EXPECT_THAT(refusal(problem, recipe_of("ring", {1, 0, false})), HasSubstr("at least one rank"));
  EXPECT_THAT(refusal(problem, recipe_of("ring", {1, 4097, false})), HasSubstr("at most 4096 ranks"));
  EXPECT_THAT(refusal(problem, recipe_of("double-ring", {1, 4, false})), HasSubstr("rOxI"));
  EXPECT_THAT(refusal(problem, recipe_of("usp", {1, 4, false})), HasSubstr("rOxI"));
}

TEST(Recipe, RefusesMoreMembersThanQueryHeads) {
  EXPECT_THAT(refusal(problem_of(8, 8, both), recipe_of("ulysses", {1, 7, false})),
              HasSubstr("7 members share 6 query heads"));
  EXPECT_THAT(refusal(problem_of(8, 8, both), recipe_of("usp", {2, 7, true})),
              HasSubstr("7 members share 6 query heads"));
}

TEST(Recipe, RefusesToCopyKvHeadsUnlessToldTo) {
  for (const int members : {3, 4, 5, 6}) {
    Recipe recipe = recipe_of("ulysses", {1, members, false});
    EXPECT_EQ(refusal(problem_of(8, 8, both), recipe), "not refused");
    recipe.kv_copies = false;
    EXPECT_THAT(refusal(problem_of(8, 8, both), recipe), HasSubstr("say kv-copies"));
  }
  Recipe even = recipe_of("ulysses", {1, 2, false});
  even.kv_copies = false;
  EXPECT_EQ(refusal(problem_of(8, 8, both), even), "not refused");
}

TEST(Recipe, RefusesStylesThatAScheduleLacks) {
  const Problem problem = problem_of(8, 8, both);
  EXPECT_THAT(refusal(problem, recipe_of("all-gather", {1, 4, false}, BackwardStyle::qside)),
              HasSubstr("want backward=home"));
  EXPECT_THAT(refusal(problem, recipe_of("pass-q", {1, 4, false}, BackwardStyle::home)),
              HasSubstr("want backward=qside"));
  EXPECT_THAT(refusal(problem, recipe_of("decode", {1, 4, false})), HasSubstr("forward only"));
  EXPECT_THAT(refusal(problem_of(8, 8, Direction::forward), recipe_of("ring", {1, 4, false}, BackwardStyle::home)),
              HasSubstr("backward=home with fwd"));
}

TEST(Recipe, RefusesOptionsThatAScheduleLacks) {
  const Problem problem = problem_of(8, 8, both);
  Recipe recipe = recipe_of("all-gather", {1, 4, false});
  recipe.prune = true;
  EXPECT_THAT(refusal(problem, recipe), HasSubstr("prune"));
  recipe = recipe_of("ring", {1, 4, false});
  recipe.kv_copies = true;
  EXPECT_THAT(refusal(problem, recipe), HasSubstr("kv-copies"));
  recipe = recipe_of("double-ring", {2, 2, true});
  recipe.order = RingOrder::snake;
  EXPECT_THAT(refusal(problem, recipe), HasSubstr("order=snake"));
  recipe = recipe_of("ring", {1, 4, false}, BackwardStyle::reversed);
  recipe.prune = true;
  EXPECT_THAT(refusal(problem, recipe), HasSubstr("prune with backward=reversed"));
}

TEST(Recipe, TheFirstStyleIsTheDefault) {
  for (const RecipeCase& c : every_recipe(problem_of(13, 13, both), 4)) {
    if (!c.recipe.backward) continue;
    for (const ScheduleKind& kind : schedule_kinds()) {
      if (kind.name != c.recipe.schedule || kind.styles.front() != *c.recipe.backward) continue;
      Recipe unsaid = c.recipe;
      unsaid.backward.reset();
      EXPECT_EQ(make_plan(c.problem, unsaid), make_plan(c.problem, c.recipe)) << text_of(c);
    }
  }
}

TEST(Recipe, SnakeWalksEverySecondNodeBackwards) {
  Recipe recipe = recipe_of("ring", {3, 3, true});
  recipe.order = RingOrder::snake;
  const Plan plan = make_plan(problem_of(18, 18, both), recipe);
  std::set<std::pair<int, int>> links;
  for (const Move& m : plan.schedule.moves_of(0)) links.insert({m.from, m.to});
  const std::set<std::pair<int, int>> snake{{0, 1}, {1, 2}, {2, 5}, {5, 4}, {4, 3}, {3, 6}, {6, 7}, {7, 8}, {8, 0}};
  EXPECT_EQ(links, snake);
}

TEST(Recipe, SnakeOfOneNodeIsNatural) {
  Recipe recipe = recipe_of("ring", {1, 5, false});
  const Plan natural = make_plan(problem_of(18, 18, both), recipe);
  recipe.order = RingOrder::snake;
  EXPECT_EQ(make_plan(problem_of(18, 18, both), recipe), natural);
}

TEST(Recipe, ForwardStepsComeFirst) {
  for (const int n : {1, 2, 3, 5, 8}) {
    for (const RecipeCase& c : every_recipe(problem_of(13, 17, both), n)) {
      const Schedule s = make_plan(c.problem, c.recipe).schedule;
      for (int t = 1; t < s.steps(); ++t) EXPECT_LE(s.pass(t - 1), s.pass(t)) << text_of(c);
      EXPECT_EQ(s.pass(0), Pass::forward);
      EXPECT_EQ(s.pass(s.steps() - 1) == Pass::backward, c.problem.has_backward());
    }
  }
}

TEST(Recipe, ManyRanksStaySmall) {
  Problem problem = problem_of(512, 512, both);
  const Schedule s = make_plan(problem, recipe_of("ring", {1, 256, false}, BackwardStyle::home)).schedule;
  EXPECT_EQ(s.attends.size(), 2u * 256 * 256);
  const std::size_t drops = 2u * 256;
  EXPECT_EQ(s.moves.size(), 256u * (3 * 256 - 3) + drops);
}

}  // namespace
}  // namespace ringscope
