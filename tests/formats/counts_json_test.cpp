#include "formats/counts_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/recipe.h"

namespace ringscope {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> members_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

Json counts_of(const Problem& problem, int ranks) {
  return counts_json("the case", prove(make_plan(problem, {.ranks = {1, ranks}})).facts);
}

TEST(CountsJson, HasTheKeysThatOthersRead) {
  const Json json = counts_of({}, 3);
  EXPECT_EQ(members_of(json), (std::vector<std::string>{"case", "forward", "backward", "peak_bytes"}));
  for (const char* pass : {"forward", "backward"}) {
    EXPECT_EQ(members_of(json[pass]),
              (std::vector<std::string>{"transfers", "bytes", "pairs", "balance", "lockstep_efficiency"}));
    EXPECT_EQ(members_of(json[pass]["transfers"]),
              (std::vector<std::string>{"kv", "q", "state", "out", "do", "stats", "dq", "dkv", "total"}));
    for (const Json& link : json[pass]["bytes"])
      EXPECT_EQ(members_of(link), (std::vector<std::string>{"from", "to", "bytes"}));
  }
}

TEST(CountsJson, LeavesOutTheBackwardWhereThereIsNone) {
  EXPECT_FALSE(counts_of({.direction = Direction::forward}, 3).contains("backward"));
}

TEST(CountsJson, TotalsAreTheSumsOfTheirParts) {
  for (const int ranks : {1, 2, 3, 5, 8}) {
    const Problem problem{.heads_q = 6, .heads_kv = 2, .len_q = 17, .len_kv = 17};
    const Json json = counts_of(problem, ranks);
    EXPECT_EQ(json["peak_bytes"].size(), static_cast<std::size_t>(ranks));
    for (const char* pass : {"forward", "backward"}) {
      std::int64_t sum = 0, pairs = 0;
      for (const auto& [key, value] : json[pass]["transfers"].items())
        sum += key == "total" ? 0 : value.get<std::int64_t>();
      for (const Json& rank : json[pass]["pairs"]) {
        for (const Json& step : rank) pairs += step.get<std::int64_t>();
      }
      EXPECT_EQ(json[pass]["transfers"]["total"], sum);
      EXPECT_EQ(pairs, 6 * 17 * 17);
    }
    EXPECT_EQ(json["forward"]["transfers"]["total"], ranks * (ranks - 1));
  }
}

}  // namespace
}  // namespace ringscope
