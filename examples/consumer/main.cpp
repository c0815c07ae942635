// Plans a zigzag ring over 4 ranks, proves it, and says what it sends and how even the work is.
#include <cstdio>
#include <numeric>

#include "core/case.h"
#include "core/schedule_check.h"

int main() {
  const ringscope::Case run = ringscope::parse_case("s64 causal fwd | zigzag ring r4");
  const ringscope::Proof proof = ringscope::prove(ringscope::make_plan(run.problem, run.recipe));
  if (!proof.holds()) {
    std::printf("not proved: %s\n", proof.violations.front().sentence.c_str());
    return 1;
  }
  const ringscope::PassFacts& forward = proof.facts.forward;
  const auto transfers = std::accumulate(forward.transfers.begin(), forward.transfers.end(), std::int64_t{0});
  std::printf("%s: proved; %lld transfers, balance %.3f\n", ringscope::to_line(run).c_str(),
              static_cast<long long>(transfers), ringscope::balance(forward));
}
