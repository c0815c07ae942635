// Who owns which tokens of a causal attention over 4 ranks?
#include <cstdio>

#include "core/layout.h"
#include "core/problem.h"

int main() {
  ringscope::Problem problem;
  problem.len_q = problem.len_kv = 64;
  const ringscope::Layout layout = ringscope::make_layout({.name = "zigzag"}, problem, 4, 1);
  for (int rank = 0; rank < layout.ranks; ++rank) {
    std::printf("rank %d:", rank);
    for (const ringscope::Range& range : layout.block(ringscope::Side::q, rank).ranges()) {
      std::printf(" [%lld, %lld]", static_cast<long long>(range.begin), static_cast<long long>(range.last()));
    }
    std::printf("\n");
  }
}
