// The way of one travelling block: where it stops, what goes from stop to stop, and in which slots.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ringscope {

// Stops 0 (home), 1, ..., outer * inner - 1: stop s * inner + t is t hops round the s-th node. A plain ring is one
// node. Inside a node a block goes from stop to stop; a copy leaves the node's first stop for the next node at once and
// flies for `inner` steps, so that the slow hop hides behind the whole inner cycle. Gradients gather along each node
// and leave its last stop in the same way.
// Inward, the same stops in the opposite order: blocks start at the last stop, gradients end at home.
struct Route {
  enum class Way : std::uint8_t { outward, inward };
  int outer = 1, inner = 1;
  Way way = Way::outward;

  static constexpr int home = 0;
  static constexpr int none = -1;

  int stops() const { return outer * inner; }
  int last() const { return stops() - 1; }
  // The step, counted from the first, in which stop v attends; and back.
  int tick(int v) const { return way == Way::outward ? v : last() - v; }
  int stop_at(int tick_) const { return tick(tick_); }

  // The stops that get their copy from stop v, the flying one first; `none` where there is no such stop.
  std::array<int, 2> next(int v) const;
  // Where the gradient goes from stop v != home.
  int gradient_next(int v) const;
  // Steps between posting and landing, beyond the step of the posting: from stop v to a later stop w. A gradient is
  // posted one step after its attend, and lands in the attend's step of w; at home, outward, at once.
  int lag(int v, int w) const { return tick(w) - tick(v) - 1; }
  int gradient_lag(int v, int w) const { return w == home && way == Way::outward ? 0 : lag(v, w); }

  // Slots of the travelling data and of its gradient at stop v != home.
  std::uint16_t slot(int v) const;
  std::uint16_t gradient_slot(int v) const;
};

enum class Turn : std::int8_t { up = 1, down = -1 };

// The rank of each stop of the block that starts at order[start]; `order` lists outer nodes of inner ranks.
std::vector<int> path_of(const Route& route, std::span<const int> order, int start, Turn turn);

}  // namespace ringscope
