#include "formats/report_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace ringscope {
namespace {

std::vector<std::string> keys_of(const nlohmann::ordered_json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(ReportJson, HasTheKeysOfTheContract) {
  Report report;
  report.case_line = "b1";
  report.of(Output::dq).present = true;
  report.where = Place{.check = "exact", .rank = 2, .output = Output::dq, .row = 5};
  const auto json = to_json(report);
  EXPECT_EQ(keys_of(json),
            (std::vector<std::string>{"case", "verdict", "reason", "figures", "where", "diagnosis", "seconds"}));
  EXPECT_EQ(keys_of(json["figures"]), std::vector<std::string>{"dq"});
  EXPECT_EQ(keys_of(json["figures"]["dq"]),
            (std::vector<std::string>{"verdict", "max_abs", "rel_fro", "ratio", "peak_ratio", "nonfinite"}));
  EXPECT_EQ(keys_of(json["where"]),
            (std::vector<std::string>{"check", "rank", "step", "kv_block", "output", "batch", "head", "row"}));
  EXPECT_EQ(json["where"]["rank"], 2);
  EXPECT_EQ(json["where"]["output"], "dq");
  EXPECT_TRUE(json["where"]["step"].is_null());
}

TEST(ReportJson, NowhereIsNull) {
  EXPECT_TRUE(to_json(Report{})["where"].is_null());
}

TEST(ReportJson, WhatIsNotFiniteIsNullNotNonsense) {
  Report report;
  report.of(Output::o) = {.present = true, .ratio = std::numeric_limits<double>::infinity()};
  EXPECT_TRUE(to_json(report)["figures"]["o"]["ratio"].is_null());
  EXPECT_NO_THROW(nlohmann::json::parse(to_json(report).dump()));
}

TEST(ReportJson, TheSummaryCountsByVerdict) {
  Summary summary;
  summary.add({});
  summary.add({.verdict = Verdict::faulted});
  EXPECT_EQ(to_json(summary).dump(),
            R"({"summary":{"passed":1,"failed":0,"mistrusted":0,"skipped":0,"invalid":0,"faulted":1}})");
  summary.add({.fault_unseen = true});
  EXPECT_EQ(to_json(summary)["summary"]["fault_unseen"], 1);
}

}  // namespace
}  // namespace ringscope
