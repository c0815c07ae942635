#include "backends/cpu/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/registry/registry.h"
#include "core/error.h"
#include "core/suites.h"
#include "core/verify.h"

namespace ringscope {
namespace {

using testing::HasSubstr;

std::string right(const std::string& name) {
  return "cpu:plugin=" RINGSCOPE_PLUGINS "/" + name + ".so";
}
std::string bad(const std::string& name) {
  return "cpu:plugin=" RINGSCOPE_BAD_PLUGINS "/" + name + ".so";
}

Report report_of(Case c, const std::string& backend, VerifyOptions options = {}) {
  References references;
  options.make_backend = make_backend;
  c.backend.name = backend;
  return verify(c, references, options).report;
}

Report report_of(const std::string& line, const std::string& backend, const VerifyOptions& options = {}) {
  return report_of(parse_case(line), backend, options);
}

// In a ring of 2: what the plug-in does wrong, and where.
Report broken(const std::string& misdeed) {
  const Report report = report_of("s12 d5 fwd | ring r2", bad(misdeed), {.deadline_seconds = 2});
  EXPECT_EQ(report.verdict, Verdict::failed) << report.reason;
  EXPECT_THAT(report.case_line, HasSubstr(misdeed));
  if (report.where) {
    EXPECT_EQ(report.where->check, "plugin");
    EXPECT_GE(report.where->rank, 0);
    EXPECT_EQ(report.where->step, 0);
  } else {
    ADD_FAILURE() << "no place: " << report.reason;
  }
  return report;
}

TEST(Plugin, TheExamplesComputeEveryFifthCaseOfTheSmokeSuite) {
  const std::vector<Case> cases = suite_cases("smoke");
  for (const char* name : {"loops", "blocked"}) {
    for (std::size_t n = 0; n < cases.size(); n += 5) {
      const Report report = report_of(cases[n], right(name));
      EXPECT_EQ(report.verdict, Verdict::passed) << report.case_line << ": " << report.reason;
    }
  }
}

TEST(Plugin, EveryTermAndTypeReachesIt) {
  for (const char* line : {"b2 h6/2 s37x41 d6/5 f64 window=9,3 | zigzag ring r3",
                           "h4/2 s29 d8/3 f64 causal softcap=3 alibi | striped=3 all-gather r4",
                           "h4/2 s29 d8/3 bf16 causal dropout=0.3 sink-logit rope=10000 | zigzag usp r2x2",
                           "b2 s24 f16 kv-lens=5,0 scale=0.7 | ring r3 backward=qside"}) {
    for (const char* name : {"loops", "blocked"}) {
      EXPECT_EQ(report_of(line, right(name)).verdict, Verdict::passed) << line << " " << name;
    }
  }
}

TEST(Plugin, AskedForATileItUsesIt) {
  Case c = parse_case("s40 d8 causal f64 | ring r2");
  c.backend.tile = 3;
  EXPECT_EQ(report_of(c, right("blocked")).verdict, Verdict::passed);
}

TEST(Plugin, AMistakeFailsAndIsNamed) {
  for (const char* line : {"s48 causal | zigzag ring r4", "b2 h4/2 s21 d8 f64 causal | contiguous all-gather r3"}) {
    const Report report = report_of(line, right("strict"), {.most_to_diagnose = 1e7});
    EXPECT_EQ(report.verdict, Verdict::failed);
    ASSERT_TRUE(report.diagnosis) << line;
    EXPECT_EQ(report.diagnosis->name, "strict_causal");
    EXPECT_FALSE(report.diagnosis->evidence.empty());
  }
}

TEST(Plugin, WhatItLacksSkipsTheCase) {
  const auto reason = [](const std::string& line, const std::string& name) {
    const Report report = report_of(line, bad(name));
    EXPECT_EQ(report.verdict, Verdict::skipped);
    return report.reason;
  };
  EXPECT_THAT(reason("s12 | ring r2", "do_nothing"), HasSubstr("ringscope_backward"));
  EXPECT_THAT(reason("s12 softcap=3 fwd | ring r2", "do_nothing"), HasSubstr("softcap"));
  EXPECT_THAT(reason("s12 alibi fwd | ring r2", "do_nothing"), HasSubstr("ALiBi"));
  EXPECT_THAT(reason("s12 dropout=0.5 fwd | ring r2", "do_nothing"), HasSubstr("dropout"));
}

TEST(Plugin, ADeathIsToldAndSurvived) {
  EXPECT_THAT(broken("crash").reason, HasSubstr("crashed (SIGSEGV) in ringscope_forward"));
  EXPECT_THAT(broken("divide_by_zero").reason, HasSubstr("crashed (SIGFPE)"));
  EXPECT_THAT(broken("call_abort").reason, HasSubstr("crashed (SIGABRT)"));
  EXPECT_THAT(broken("overflow_stack").reason, HasSubstr("crashed (SIGSEGV)"));
  EXPECT_THAT(broken("call_exit").reason, HasSubstr("ended its process with exit code 7"));
}

TEST(Plugin, WritesOutsideOfItsArraysAreToldByNameAndPlace) {
  EXPECT_THAT(broken("overrun").reason, HasSubstr("wrote outside of o, right behind its end"));
  EXPECT_THAT(broken("overrun_l").reason, HasSubstr("wrote outside of l, right behind its end"));
  EXPECT_THAT(broken("overrun_far").reason, HasSubstr("outside of o, 56 bytes behind its end"));
  EXPECT_THAT(broken("underrun").reason, HasSubstr("wrote outside of o, 4 bytes before its beginning"));
  EXPECT_THAT(broken("underrun_far").reason, HasSubstr("outside of o, 6000 bytes before its beginning"));
}

TEST(Plugin, AChangedInputIsTold) {
  EXPECT_THAT(broken("change_input").reason, HasSubstr("wrote to its input k"));
}

TEST(Plugin, NumbersThatCannotBeAreTold) {
  EXPECT_THAT(broken("give_nan").reason, HasSubstr("gave NaN in o, row 0"));
  EXPECT_THAT(broken("give_infinity").reason, HasSubstr("gave infinity in l, row 0"));
}

TEST(Plugin, AnErrorCodeIsTold) {
  EXPECT_THAT(broken("give_error").reason, HasSubstr("returned error 3"));
}

TEST(Plugin, OneThatNeverReturnsIsEnded) {
  EXPECT_THAT(broken("never_return").reason, HasSubstr("did not return within 1.5 s"));
}

TEST(Plugin, OneThatDoesNothingFailsByItsNumbers) {
  const Report report = report_of("s12 d5 fwd | ring r2", bad("do_nothing"));
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_NE(report.where->check, "plugin");
}

TEST(Plugin, TheNextCaseRunsAfterACrash) {
  broken("crash");
  EXPECT_EQ(report_of("s12 d5 | ring r2", right("loops")).verdict, Verdict::passed);
}

TEST(Plugin, WhatIsNoPluginIsRefusedWithTheReason) {
  const auto refusal = [](const std::string& file, ErrorKind kind) -> std::string {
    try {
      cpu::PluginBackend{file};
    } catch (const Error& error) {
      EXPECT_EQ(error.kind, kind) << file;
      return error.what();
    }
    ADD_FAILURE() << file << " was not refused";
    return {};
  };
  const std::string folder = RINGSCOPE_BAD_PLUGINS "/";
  EXPECT_THAT(refusal(folder + "none.so", ErrorKind::bad_file), HasSubstr("no such file"));
  EXPECT_THAT(refusal(folder, ErrorKind::bad_file), HasSubstr("no file"));
  EXPECT_THAT(refusal(folder + "cmake_install.cmake", ErrorKind::bad_file), HasSubstr("cannot be loaded"));
  EXPECT_THAT(refusal(folder + "no_forward.so", ErrorKind::bad_file), HasSubstr("without ringscope_forward()"));
  EXPECT_THAT(refusal(folder + "wrong_api.so", ErrorKind::bad_file), HasSubstr("API version 2; want API version 1"));
  EXPECT_THAT(refusal(folder + "die_on_load.so", ErrorKind::broken_kernel), HasSubstr("crashed (SIGABRT)"));
}

TEST(Plugin, ItsPathSurvivesTheCaseLine) {
  for (const std::string path : {"./mine.so", "/a/B-c_d/mine.2.so", "../x=y.so"}) {
    const Case c = parse_case("s12 | ring r2 | cpu:plugin=" + path + " tile=8");
    EXPECT_EQ(c.backend.name, "cpu:plugin=" + path);
    EXPECT_EQ(parse_case(to_line(c)), c);
  }
}

TEST(Plugin, APathWithSpacesIsRefusedWithTheReason) {
  try {
    parse_case("s12 | ring r2 | cpu:plugin=./my kernel.so");
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("spaces"));
  }
  Case c;
  c.backend.name = "cpu:plugin=./my kernel.so";
  EXPECT_THROW(validate(c), Error);
}

}  // namespace
}  // namespace ringscope
