#include "core/faults/fault.h"

#include <gtest/gtest.h>

#include <set>

#include "core/recipe.h"
#include "core/schedule_check.h"
#include "core/schedule_diff.h"
#include "core/suites.h"

namespace ringscope {
namespace {

std::vector<Plan> plans_of_every_schedule() {
  std::vector<Plan> plans;
  for (const Case& c : suite_cases("smoke")) plans.push_back(make_plan(c.problem, c.recipe));
  return plans;
}

std::vector<Plan> one_plan_of_every_schedule_and_n() {
  std::vector<Plan> plans;
  std::set<std::pair<std::string, int>> seen;
  for (const Case& c : suite_cases("smoke")) {
    const bool is_new = seen.insert({c.recipe.schedule, c.recipe.ranks.count()}).second;
    if (is_new) plans.push_back(make_plan(c.problem, c.recipe));
  }
  return plans;
}

TEST(Faults, NamesAreDistinctAndFoundInBothSpellings) {
  std::set<std::string_view> names;
  for (const FaultKind& kind : fault_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(find_fault(kind.name), &kind);
    EXPECT_FALSE(kind.sentence.empty());
  }
  EXPECT_EQ(find_fault("drop_block"), find_fault("drop-block"));
  EXPECT_EQ(find_fault("no-such-fault"), nullptr);
}

TEST(Faults, EveryScheduleFaultIsRefusedByTheProofAndTracedToItsPlace) {
  for (const Plan& plan : plans_of_every_schedule()) {
    for (const FaultKind& kind : fault_kinds()) {
      if (kind.family != FaultFamily::schedule) continue;
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const auto site = choose_site(kind, plan, {}, seed);
        if (!site) continue;
        Plan damaged = plan;
        kind.damage(damaged, *site);
        EXPECT_FALSE(prove(damaged).holds()) << kind.name << ": " << site->sentence;
        const auto difference = first_difference(plan.schedule, damaged.schedule);
        ASSERT_TRUE(difference) << site->sentence;
        EXPECT_EQ(difference->rank, site->rank) << site->sentence;
        EXPECT_EQ(difference->step, site->step) << site->sentence;
      }
    }
  }
}

TEST(Faults, ASiteIsWhereTheCaseSaysOrNowhere) {
  for (const Plan& plan : one_plan_of_every_schedule_and_n()) {
    for (const FaultKind& kind : fault_kinds()) {
      const FaultChoice anywhere{std::string(kind.name)};
      const std::vector<FaultSite> places = kind.sites(plan);
      EXPECT_EQ(choose_site(kind, plan, anywhere, 0).has_value(), !places.empty()) << kind.name;
      if (places.empty()) continue;
      const FaultSite& place = places[places.size() / 2];
      const auto site = choose_site(kind, plan, {anywhere.name, place.rank, place.step}, 0);
      ASSERT_TRUE(site) << kind.name;
      EXPECT_EQ(site->rank, place.rank);
      EXPECT_EQ(site->step, place.step);
      EXPECT_FALSE(choose_site(kind, plan, {anywhere.name, plan.layout.ranks, -1}, 0)) << kind.name;
      EXPECT_FALSE(choose_site(kind, plan, {anywhere.name, -1, 1000}, 0)) << kind.name;
    }
  }
}

TEST(Faults, AWrongFormulaIsWrongEverywhereUnlessTheCaseNamesAPlace) {
  const Plan plan = make_plan(Problem{}, Recipe{});
  const FaultKind& kind = *find_fault("merge-weights-swapped");
  const auto everywhere = choose_site(kind, plan, {}, 0);
  ASSERT_TRUE(everywhere);
  EXPECT_EQ(everywhere->rank, -1);
  EXPECT_EQ(everywhere->step, -1);
  EXPECT_EQ(choose_site(kind, plan, {"", 2, -1}, 0)->rank, 2);
}

TEST(Faults, TheSeedPicksAmongAllSites) {
  const Plan plan = make_plan(Problem{}, Recipe{});
  const FaultKind& kind = *find_fault("drop-block");
  std::set<std::pair<int, int>> places;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto site = choose_site(kind, plan, {}, seed);
    ASSERT_TRUE(site);
    places.insert({site->rank, site->step});
  }
  EXPECT_EQ(places.size(), kind.sites(plan).size());
}

TEST(Faults, NothingMovesOnOneRank) {
  const Plan plan = make_plan(Problem{}, Recipe{.ranks = {1, 1, false}});
  EXPECT_FALSE(choose_site(*find_fault("drop-move"), plan, {}, 0));
  EXPECT_FALSE(choose_site(*find_fault("drop-message"), plan, {}, 0));
}

TEST(ScheduleDiff, TheSameScheduleHasNoDifference) {
  const Plan plan = make_plan(Problem{}, Recipe{});
  EXPECT_FALSE(first_difference(plan.schedule, plan.schedule));
}

TEST(ScheduleDiff, ARecordTooManyIsTold) {
  const Plan plan = make_plan(Problem{}, Recipe{});
  Plan damaged = plan;
  find_fault("drop-block")->damage(damaged, *choose_site(*find_fault("drop-block"), plan, {"", 1, 2}, 0));
  const auto difference = first_difference(damaged.schedule, plan.schedule);
  ASSERT_TRUE(difference);
  EXPECT_NE(difference->sentence.find("rank 1 at step 2 should not attend"), std::string::npos);
}

}  // namespace
}  // namespace ringscope
