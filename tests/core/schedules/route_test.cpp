#include "core/schedules/route.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace ringscope {
namespace {

std::vector<Route> routes() {
  std::vector<Route> out;
  for (const auto& [outer, inner] : {std::pair{1, 1}, {1, 2}, {1, 5}, {2, 1}, {5, 1}, {2, 2}, {3, 4}, {4, 3}}) {
    for (const Route::Way way : {Route::Way::outward, Route::Way::inward}) out.push_back({outer, inner, way});
  }
  return out;
}

TEST(Route, EveryPathVisitsEveryRankOnce) {
  for (const Route& route : routes()) {
    std::vector<int> order(static_cast<std::size_t>(route.stops()));
    std::iota(order.rbegin(), order.rend(), 0);
    for (int start = 0; start < route.stops(); ++start) {
      for (const Turn turn : {Turn::up, Turn::down}) {
        const std::vector<int> path = path_of(route, order, start, turn);
        EXPECT_EQ(path[Route::home], order[static_cast<std::size_t>(start)]);
        EXPECT_EQ(std::set<int>(path.begin(), path.end()).size(), order.size());
      }
    }
  }
}

TEST(Route, InAnyTickTheBlocksAreOnDifferentRanks) {
  for (const Route& route : routes()) {
    std::vector<int> order(static_cast<std::size_t>(route.stops()));
    std::iota(order.begin(), order.end(), 0);
    for (int v = 0; v < route.stops(); ++v) {
      std::set<int> ranks;
      for (int start = 0; start < route.stops(); ++start) {
        ranks.insert(path_of(route, order, start, Turn::up)[static_cast<std::size_t>(v)]);
      }
      EXPECT_EQ(ranks.size(), order.size());
    }
  }
}

TEST(Route, EveryStopButTheFirstAndHomeGetsItsCopyOnce) {
  for (const Route& route : routes()) {
    std::multiset<int> reached;
    for (int v = 0; v < route.stops(); ++v) {
      for (const int w : route.next(v)) {
        if (w == Route::none) continue;
        reached.insert(w);
        EXPECT_GE(route.lag(v, w), 0);
      }
    }
    const int first = route.stop_at(0);
    for (int v = 0; v < route.stops(); ++v) {
      EXPECT_EQ(reached.count(v), v == first || v == Route::home ? 0u : 1u) << "stop " << v;
    }
  }
}

TEST(Route, EveryGradientComesHome) {
  for (const Route& route : routes()) {
    for (int v = 1; v < route.stops(); ++v) {
      int hops = 0, at = v;
      for (; at != Route::home; ++hops) {
        const int to = route.gradient_next(at);
        EXPECT_GE(route.gradient_lag(at, to), 0);
        EXPECT_TRUE(to == Route::home || route.tick(to) > route.tick(at));
        at = to;
      }
      EXPECT_LE(hops, route.stops());
    }
  }
}

TEST(Route, SlowHopsFlyForAWholeInnerCycle) {
  const Route route{3, 4};
  EXPECT_EQ(route.next(4), (std::array{8, 5}));
  EXPECT_EQ(route.lag(4, 8), 3);
  EXPECT_EQ(route.lag(4, 5), 0);
  EXPECT_EQ(route.gradient_next(7), 11);
  EXPECT_EQ(route.gradient_lag(7, 11), 3);
}

}  // namespace
}  // namespace ringscope
