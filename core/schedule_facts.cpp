// How evenly a pass spreads its pairs.
#include <algorithm>
#include <numeric>

#include "core/schedule_check.h"

namespace ringscope {

namespace {

std::vector<std::int64_t> totals(const PassFacts& facts) {
  std::vector<std::int64_t> out;
  for (const auto& steps : facts.pairs) out.push_back(std::accumulate(steps.begin(), steps.end(), std::int64_t{0}));
  return out;
}

double mean(const std::vector<std::int64_t>& totals) {
  const std::int64_t sum = std::accumulate(totals.begin(), totals.end(), std::int64_t{0});
  return static_cast<double>(sum) / static_cast<double>(totals.size());
}

}  // namespace

double balance(const PassFacts& facts) {
  const std::vector<std::int64_t> all = totals(facts);
  const std::int64_t most = all.empty() ? 0 : *std::ranges::max_element(all);
  return most == 0 ? 1 : mean(all) / static_cast<double>(most);
}

double lockstep_efficiency(const PassFacts& facts) {
  const std::size_t steps = facts.pairs.empty() ? 0 : facts.pairs.front().size();
  std::int64_t paced = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    std::int64_t slowest = 0;
    for (const auto& rank : facts.pairs) slowest = std::max(slowest, rank[t]);
    paced += slowest;
  }
  return paced == 0 ? 1 : mean(totals(facts)) / static_cast<double>(paced);
}

}  // namespace ringscope
