#include "core/case.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/case_words.h"
#include "core/error.h"
#include "core/suites.h"

namespace ringscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(std::string_view line) {
  try {
    parse_case(line);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::bad_request) << line;
    return error.what();
  }
  return "not refused";
}

TEST(Case, TheLineOfTheDesignReadsAndPrintsTheSame) {
  const std::string line = "b1 h8/2 s512 d64 bf16 causal | zigzag ring r8 | cpu | needle seed=7";
  const Case c = parse_case(line);
  EXPECT_EQ(c.problem.heads_q, 8);
  EXPECT_EQ(c.problem.heads_kv, 2);
  EXPECT_EQ(c.problem.type, ElementType::bf16);
  EXPECT_TRUE(c.problem.mask.causal);
  EXPECT_EQ(c.recipe.ranks.count(), 8);
  EXPECT_EQ(c.fill, Fill::needle);
  EXPECT_EQ(c.seed, 7u);
  EXPECT_EQ(to_line(c), line);
}

TEST(Case, DefaultsAreThoseOfTheDesign) {
  EXPECT_EQ(to_line(Case{}), "b1 h4 s64 d16 f32 | contiguous ring r4 | cpu | random seed=0");
  EXPECT_EQ(parse_case("b1"), Case{});
  EXPECT_EQ(parse_case("|||"), Case{});
}

TEST(Case, RandomCasesPrintAndReadBackEqual) {
  for (const Case& c : random_cases(500, 3)) EXPECT_EQ(parse_case(to_line(c)), c) << to_line(c);
}

TEST(Case, SchedulesAndLayoutsComeFromTheirRegistries) {
  for (const ScheduleKind& kind : schedule_kinds()) {
    const std::string ranks = kind.needs_grid ? "r2x2" : "r4";
    EXPECT_EQ(parse_case("| " + std::string(kind.name) + " " + ranks).recipe.schedule, kind.name);
  }
  for (const LayoutKind& kind : layout_kinds()) {
    EXPECT_EQ(parse_case("| " + std::string(kind.name)).recipe.layout.name, kind.name);
  }
}

TEST(Case, WordsOfAFieldComeInAnyOrder) {
  const std::vector<std::string> problem{"b2",     "h6/2",       "s37",     "d12/20", "f16",
                                         "causal", "window=9,0", "sinks=2", "fwd",    "scale=0.25"};
  std::vector<std::string> words = problem;
  std::sort(words.begin(), words.end());
  for (int turn = 0; turn < 20; ++turn) {
    std::string line;
    for (const std::string& w : words) line += w + " ";
    EXPECT_EQ(
        to_line(parse_case(line + "| r3 prune ring striped=4")),
        "b2 h6/2 s37 d12/20 f16 causal window=9,0 sinks=2 scale=0.25 fwd | striped=4 ring r3 prune | cpu | random "
        "seed=0");
    std::rotate(words.begin(), words.begin() + 3, words.end());
  }
}

TEST(Case, EveryExampleOfTheTableIsAWordThatReads) {
  for (const Field field : {Field::problem, Field::recipe, Field::backend, Field::data}) {
    for (const WordKind& kind : words_of(field)) {
      Case c;
      const std::string example = kind.example;
      const std::size_t skip = kind.name.size() + (kind.takes == Takes::value ? 1 : 0);
      const bool has_value = kind.takes == Takes::value || kind.takes == Takes::number_behind;
      const std::string value = kind.takes == Takes::itself ? example : has_value ? example.substr(skip) : "";
      EXPECT_TRUE(kind.read(value, c)) << example;
      EXPECT_FALSE(kind.sentence.empty()) << example;
    }
  }
}

TEST(Case, ForwardIsTheDefaultOfSchedulesWithoutABackward) {
  EXPECT_EQ(parse_case("b1 | decode").problem.direction, Direction::forward);
  EXPECT_THAT(to_line(parse_case("b1 | decode")), ::testing::Not(HasSubstr("fwd")));
  EXPECT_THAT(to_line(parse_case("fwd | ring")), HasSubstr("fwd"));
  EXPECT_THAT(refusal_of("bwd | decode"), HasSubstr("forward only"));
}

TEST(Case, AStyleThatIsTheDefaultIsNotSaid) {
  EXPECT_EQ(parse_case("| ring backward=home"), Case{});
  EXPECT_THAT(to_line(parse_case("| ring backward=qside")), HasSubstr("backward=qside"));
}

TEST(Case, AWrongWordIsRefusedWithTheAllowedOnesAndTheNearest) {
  EXPECT_THAT(refusal_of("| zigzg"), AllOf(HasSubstr("`zigzg` in the recipe field"), HasSubstr("`contiguous`"),
                                           HasSubstr("nearest right word is `zigzag`")));
  EXPECT_THAT(refusal_of("casual"), HasSubstr("nearest right word is `causal`"));
  EXPECT_THAT(refusal_of("windw=3,0"), HasSubstr("nearest right word is `window=64,0`"));
  EXPECT_THAT(refusal_of("zigzg"), HasSubstr("`zigzag`, in the recipe field"));
  EXPECT_THAT(refusal_of("||| fault=drop-blok"), HasSubstr("nearest right word is `drop-block`"));
}

TEST(Case, AWordInTheWrongFieldIsToldItsOwn) {
  EXPECT_THAT(refusal_of("ring"), HasSubstr("recipe field"));
  EXPECT_THAT(refusal_of("| ring | needle"), HasSubstr("data field"));
  EXPECT_THAT(refusal_of("b1 ||||"), HasSubstr("fifth field"));
}

TEST(Case, MissingAndMalformedValuesAreRefused) {
  for (const char* word : {"b",
                           "h",
                           "s",
                           "d",
                           "window",
                           "window=",
                           "window=4",
                           "window=1,2,3",
                           "docs=1,",
                           "prefix=x",
                           "h8/",
                           "h/2",
                           "s1x2x3",
                           "b1.5",
                           "b+1",
                           "b99999999999999999999",
                           "chunk=0",
                           "scale=nan",
                           "scale=inf",
                           "softcap=1e999",
                           "causal=1",
                           "rope",
                           "kv-lens=",
                           "b-1",
                           "d0",
                           "h6/4",
                           "dropout=1",
                           "s64x32 docs=0,16",
                           "kv-lens=1,2",
                           "prefix=65",
                           "docs=5,5",
                           "rope=1",
                           "d15 rope=100",
                           "full causal"}) {
    EXPECT_NE(refusal_of(word), "not refused") << word;
  }
  for (const char* line : {"| r",
                           "| r0",
                           "| r2x",
                           "| rx2",
                           "| r99999",
                           "| striped=",
                           "| striped=0",
                           "| order=wild",
                           "| backward=sideways",
                           "| custom=",
                           "| zigzag=2",
                           "|| threads=0",
                           "|| tile=-1",
                           "|| thread=1",
                           "|| CPU",
                           "||| seed=-1",
                           "||| seed=18446744073709551616",
                           "||| fault=",
                           "||| fault=kill@",
                           "||| fault=kill@r",
                           "||| fault=kill@r1,r2",
                           "||| fault=kill@x1"}) {
    EXPECT_NE(refusal_of(line), "not refused") << line;
  }
}

TEST(Case, ANumberOutOfItsRangeIsRefusedWithTheRange) {
  const std::string ranks = "whole numbers from 1 to 4096";
  for (const auto& [line, range] :
       std::vector<std::pair<std::string, std::string>>{{"b0", "between 1 and 1048576"},
                                                        {"b99999999999999999999", "from 1 to 1048576"},
                                                        {"h0", "between 1 and 65535"},
                                                        {"hx", "`h8/2`"},
                                                        {"s0", "between 1 and 1073741824"},
                                                        {"s99999999999999999999", "from 1 to 1073741824"},
                                                        {"d-1", "between 1 and 65536"},
                                                        {"softcap=-1", "softcap > 0"},
                                                        {"softcap=0", "a number above 0"},
                                                        {"scale=1e400", "a finite number"},
                                                        {"rope=0", "a number above 1"},
                                                        {"dropout=0", "above 0 and below 1"},
                                                        {"dropout=1", "dropout < 1"},
                                                        {"window=1e9,0", "two whole numbers from -1 on"},
                                                        {"chunk=0", "a whole number from 1 on"},
                                                        {"prefix=x", "from 0 to Skv"},
                                                        {"| r99999999999", ranks},
                                                        {"| r0", ranks},
                                                        {"| r4097", ranks},
                                                        {"| usp r64x65", ranks},
                                                        {"| striped=0", "a whole number from 1 on"},
                                                        {"||cpu threads=0", "from 1 to 4096"},
                                                        {"||cpu tile=9999999", "from 1 to 1048576"},
                                                        {"||| seed=-1", "from 0 to 2^64 - 1"},
                                                        {"||| fault=drop-block@r-1", "ranks and steps from 0 on"}}) {
    EXPECT_THAT(refusal_of(line), HasSubstr(range)) << line;
  }
}

TEST(Case, AWordSaidTwiceIsRefused) {
  EXPECT_THAT(refusal_of("b1 b2"), HasSubstr("once"));
  EXPECT_THAT(refusal_of("f32 f64"), HasSubstr("one type"));
  EXPECT_THAT(refusal_of("| ring zigzag usp r2x2"), HasSubstr("one schedule"));
  EXPECT_THAT(refusal_of("|| cpu cpu:naive"), HasSubstr("one backend"));
  EXPECT_THAT(refusal_of("||| needle random"), HasSubstr("one fill"));
}

TEST(Case, CombinationsThatCannotBeAreRefusedWithTheReason) {
  EXPECT_THAT(refusal_of("h4 | ulysses r8"), HasSubstr("8"));
  EXPECT_THAT(refusal_of("| usp r4"), HasSubstr("rOxI"));
  EXPECT_THAT(refusal_of("softcap=30 ||| needle"), HasSubstr("softcap"));
  EXPECT_THAT(refusal_of("fwd | ring backward=home"), HasSubstr("bwd"));
}

TEST(Case, AFaultKeepsItsPlaceAndItsOwnSpelling) {
  const Case c = parse_case("||| fault=drop_block@r2,t1");
  EXPECT_EQ(c.fault, (FaultChoice{"drop-block", 2, 1}));
  EXPECT_THAT(to_line(c), HasSubstr("fault=drop-block@r2,t1"));
  EXPECT_EQ(parse_case("||| fault=kill@t4").fault, (FaultChoice{"kill", -1, 4}));
}

TEST(Case, AProblemAloneReadsBack) {
  for (const Case& c : random_cases(100, 8)) EXPECT_EQ(parse_problem(problem_line(c.problem)), c.problem);
  EXPECT_THROW(parse_problem("b1 | ring"), Error);
}

}  // namespace
}  // namespace ringscope
