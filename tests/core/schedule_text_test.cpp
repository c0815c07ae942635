#include "core/schedule_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/schedule_check.h"
#include "tests/core/schedules/recipes.h"

namespace ringscope {
namespace {

using testing::HasSubstr;

// Two ranks, one head, forward: the smallest ring, written by hand.
constexpr std::string_view small_ring = R"(ringscope schedule 1
# a comment

problem b1 h1 s4 d2 f64 causal fwd
ranks 2
rank 0 q 0:1:0:2
rank 1 q 2:1:0:2
rank 0 kv 0:1:0:2
rank 1 kv 2:1:0:2
step 0 forward
  move KV b0 h0-1 from 0 to 1 slot 1
  move KV b1 h0-1 from 1 to 0 slot 1
  attend 0 Q b0 h0-1 KV b0 h0-1
  attend 1 Q b1 h0-1 KV b1 h0-1
step 1 forward
  move KV b1 h0-1 from 0 to nobody give
  move KV b0 h0-1 from 1 to nobody give
  attend 1 Q b1 h0-1 KV b0 h0-1
  finish 0 Q b0 h0-1 slot 5
  finish 1 Q b1 h0-1
)";

// The small ring with its first `what` replaced.
std::string with(std::string_view what, std::string_view by) {
  std::string text(small_ring);
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string refusal_of(std::string_view text) {
  try {
    parse_schedule_text(text);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::bad_file) << e.what();
    return e.what();
  }
  return "accepted";
}

TEST(ScheduleText, EveryPlanComesBackAsItWas) {
  for (const int ranks : {1, 2, 3, 4, 5, 8}) {
    for (const auto& [len_q, len_kv] : {std::pair{17, 17}, {3, 19}}) {
      for (RecipeCase& c : every_recipe(problem_of(len_q, len_kv, Direction::forward_and_backward), ranks)) {
        c.recipe.layout.name = "zigzag";
        const Plan plan = make_plan(c.problem, c.recipe);
        const std::string text = schedule_text(plan);
        EXPECT_EQ(parse_schedule_text(text), plan) << text_of(c);
        EXPECT_EQ(schedule_text(parse_schedule_text(text)), text) << text_of(c);
      }
    }
  }
}

TEST(ScheduleText, EveryFieldComesBack) {
  Plan plan = parse_schedule_text(small_ring);
  Move& m = plan.schedule.moves.front();
  m.tensor = TensorKind::dkv, m.combine = Combine::add, m.source = Source::give, m.slot = 65535, m.lag = 7;
  m.blocks = {0, 1, 2};
  plan.schedule.attends.front().acc_q = 3;
  plan.schedule.attends.back().acc_kv = 4;
  EXPECT_EQ(parse_schedule_text(schedule_text(plan)), plan);
}

TEST(ScheduleText, AHandWrittenRingIsProved) {
  const Proof proof = prove(parse_schedule_text(small_ring));
  EXPECT_TRUE(proof.holds()) << proof.violations.front().sentence;
}

TEST(ScheduleText, AMalformedTextIsRefusedWithLineAndColumn) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "line 1, column 1"},
      {"ringscope schedule 2\n", "`2` at line 1, column 20"},
      {with("ringscope", "Ringscope"), "line 1, column 1"},
      {with("problem b1", "problem b-1"), "line 4, column 9"},
      {with("causal", "casual"), "line 4, column 9"},
      {with("s4", "s1099511627776"), "line 4, column 9"},
      {with("s4", "s99999999999999999999"), "line 4, column 9"},
      {with("ranks 2", "ranks 0"), "`0` at line 5, column 7"},
      {with("ranks 2", "ranks 99999"), "`99999` at line 5, column 7; want a number of ranks from 1 to 4096"},
      {with("ranks 2", "ranks two"), "`two` at line 5, column 7"},
      {with("rank 0 q 0:1:0:2\n", ""), "line 6"},
      {with("0:1:0:2", "0:1:0"), "line 6, column"},
      {with("2:1:0:2", "1:1:0:2"), "position 1 twice at line 6"},
      {with("2:1:0:2", "2:1:0:1"), "position 3 without owner at line 6"},
      {with("0:1:0:2", "0:1:0:1099511627776"), "at line 6"},
      {with("step 0", "step 1"), "`1` at line 10, column 6"},
      {with("step 1 forward", "step 1 sideways"), "`sideways` at line 15, column 8"},
      {with("step 0 forward\n", ""), "want `step 0 forward` first"},
      {with("move KV", "mvoe KV"), "`mvoe` at line 11, column 3"},
      {with("move KV", "move VK"), "the nearest right word is `KV`"},
      {with("b0 h0-1 from", "c0 h0-1 from"), "line 11, column 11"},
      {with("b0 h0-1 from", "b2 h0-1 from"), "line 11, column 11"},
      {with("b0 h0-1 from", "b-1 h0-1 from"), "line 11, column 11"},
      {with("b0 h0-1 from", "b0+3x1 h0-1 from"), "line 11, column 11"},
      {with("b0 h0-1 from", "b0+2147483648x2147483648 h0-1 from"), "line 11, column 11"},
      {with("b0 h0-1 from", "b0+1x9223372036854775807 h0-1 from"), "line 11, column 11"},
      {with("h0-1 from", "h0-2 from"), "line 11, column 14"},
      {with("h0-1 from", "h1-1 from"), "line 11, column 14"},
      {with("h0-1 from", "h from"), "line 11, column 14"},
      {with("from 0", "from 2"), "`2` at line 11, column 24"},
      {with("to 1", "to 7"), "line 11, column 29"},
      {with("slot 1", "slot 65536"), "`65536` at line 11, column 36"},
      {with("slot 1", "slot"), "the end of the line at line 11"},
      {with("slot 1", "slot 1 slot 2"), "`slot` a second time at line 11, column 38"},
      {with("slot 1", "add merge"), "`add` and `merge`"},
      {with("slot 1", "lag -1"), "`-1` at line 11, column 35"},
      {with("slot 1", "slto 1"), "the nearest right word is `slot`"},
      {with("attend 0", "attend -3"), "`-3` at line 13, column 10"},
      {with("finish 1 Q", "finish 1 KV"), "`KV` at line 20, column 12"},
      {std::string(small_ring) + "step 2 backward\nstep 3 forward\n", "line 22"},
  };
  for (const auto& [text, place] : cases) EXPECT_THAT(refusal_of(text), HasSubstr(place));
}

TEST(ScheduleText, ATruncatedTextIsRefusedOrNotProved) {
  for (std::size_t n = 0; n < small_ring.size(); ++n) {
    const std::string text(small_ring.substr(0, n)), said = refusal_of(text);
    if (said == "accepted") {
      EXPECT_FALSE(n < small_ring.size() - 1 && prove(parse_schedule_text(text)).holds()) << text;
    } else {
      EXPECT_THAT(said, HasSubstr("line "));
    }
  }
}

// Every byte replaced by others in turn: a refusal or a plan that can be looked at, never a crash.
TEST(ScheduleText, AnyChangedByteIsRefusedOrStillAPlan) {
  int accepted = 0, proved = 0;
  for (std::size_t n = 0; n < small_ring.size(); ++n) {
    for (const char c : {'0', '9', '-', ' ', '\n', '\0', 'x', ':', '#', '\xff'}) {
      std::string text(small_ring);
      text[n] = c;
      if (refusal_of(text) != "accepted") continue;
      ++accepted;
      proved += prove(parse_schedule_text(text)).holds();
    }
  }
  EXPECT_GT(accepted, proved);
  EXPECT_GT(proved, 0);
}

}  // namespace
}  // namespace ringscope
