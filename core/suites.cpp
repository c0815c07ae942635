#include "core/suites.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/case_grid.h"
#include "core/error.h"
#include "core/nearest.h"

namespace ringscope {

namespace {

struct SuiteSize {
  SuiteInfo info;
  std::int64_t enough_rows, most_rows;
  bool covers_triples;
  SizeLimits limits;
};

constexpr std::array<SuiteSize, 3> sizes{{
    {{"smoke", "at most 150 small cases, for every change"}, 144, 144, false, {24000}},
    {{"ci", "over 3,000 cases: all pairs of words, all triples schedule x mask x N"}, 3200, 0, true, {60000}},
    {{"full", "over 20,000 cases: what ci has, and many more combinations"}, 20480, 0, true, {60000}},
}};

constexpr std::array<SuiteInfo, 3> infos{sizes[0].info, sizes[1].info, sizes[2].info};

const SuiteSize& size_named(std::string_view name) {
  const auto size = std::find_if(sizes.begin(), sizes.end(), [&](const SuiteSize& s) { return s.info.name == name; });
  if (size != sizes.end()) return *size;
  std::array<std::string_view, sizes.size()> names;
  std::transform(sizes.begin(), sizes.end(), names.begin(), [](const SuiteSize& s) { return s.info.name; });
  throw Error(ErrorKind::bad_request, "suite `" + std::string(name) + "`", any_of(names),
              nearest_sentence(name, names));
}

}  // namespace

std::span<const SuiteInfo> suites() {
  return infos;
}

std::vector<Case> suite_cases(std::string_view name) {
  const SuiteSize& size = size_named(name);
  std::unordered_set<std::string> lines;
  CoveringRequest request;
  for (const Factor& factor : case_factors()) {
    if (factor.mostly_neutral) request.mostly_neutral.push_back(static_cast<int>(request.levels.size()));
    request.levels.push_back(static_cast<int>(factor.levels.size()));
  }
  if (size.covers_triples) {
    request.triples = {{factor_named("schedule"), factor_named("mask"), factor_named("ranks")}};
  }
  request.can_be = [&](const Row& row) { return can_be(case_of(row), size.limits); };
  request.is_new = [&](const Row& row) { return lines.insert(to_line(case_of(row))).second; };
  request.yielding = yielding_order();
  request.enough_rows = size.enough_rows;
  request.most_rows = size.most_rows;
  std::vector<Case> cases;
  for (const Row& row : cover(request).rows) {
    cases.push_back(case_of(row));
    cases.back().seed = cases.size() % 1000;
  }
  return cases;
}

}  // namespace ringscope
