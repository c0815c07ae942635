#include "core/schedules/route.h"

namespace ringscope {

namespace {

int wrapped(int i, int n) {
  return (i % n + n) % n;
}

}  // namespace

std::array<int, 2> Route::next(int v) const {
  const int s = v / inner, t = v % inner;
  if (way == Way::outward) {
    return {t == 0 && s + 1 < outer ? v + inner : none, t + 1 < inner ? v + 1 : none};
  }
  // Home has its block already.
  return {t == inner - 1 && v - inner > home ? v - inner : none, t > 0 && v - 1 > home ? v - 1 : none};
}

int Route::gradient_next(int v) const {
  const int s = v / inner, t = v % inner;
  if (way == Way::inward) return t > 0 ? v - 1 : v - inner;
  if (t + 1 < inner) return v + 1;
  return s + 1 < outer ? v + inner : home;
}

// Two slots by turns inside a node and two for what flies. The block that ends the outward way waits in a flying slot:
// it flies when the inward way begins, while hops inside the node use the others.
std::uint16_t Route::slot(int v) const {
  const int s = v / inner, t = v % inner;
  const bool waits = outer > 1 && inner > 1 && (way == Way::outward ? v == last() : t == inner - 1);
  if (waits) return static_cast<std::uint16_t>(3 + s % 2);
  const bool flew = way == Way::outward ? t == 0 : inner == 1;
  return static_cast<std::uint16_t>(flew ? 3 + (s + 1) % 2 : 1 + (t + 1) % 2);
}

std::uint16_t Route::gradient_slot(int v) const {
  const int s = v / inner, t = v % inner;
  const bool flies = outer > 1 && t == (way == Way::outward ? inner - 1 : 0);
  return static_cast<std::uint16_t>(flies ? 3 + s % 2 : 1 + (t + 1) % 2);
}

std::vector<int> path_of(const Route& route, std::span<const int> order, int start, Turn turn) {
  const int o = start / route.inner, i = start % route.inner, sign = static_cast<int>(turn);
  std::vector<int> path;
  path.reserve(static_cast<std::size_t>(route.stops()));
  for (int s = 0; s < route.outer; ++s) {
    for (int t = 0; t < route.inner; ++t) {
      const int node = wrapped(o + sign * s, route.outer), member = wrapped(i + sign * t, route.inner);
      path.push_back(order[static_cast<std::size_t>(node * route.inner + member)]);
    }
  }
  return path;
}

}  // namespace ringscope
