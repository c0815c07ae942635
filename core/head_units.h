// The heads of a plan cut into runs that the schedule never takes apart: the proof pays per run, not per head.
#pragma once
#include <cstdint>
#include <vector>

#include "core/plan.h"

namespace ringscope {

// Units [begin, end) of one side.
struct Units {
  int begin = 0, end = 0;
};

// Every query unit reads the heads of exactly one KV unit.
class HeadUnits {
 public:
  explicit HeadUnits(const Plan& plan);  // the head ranges of the plan lie inside its heads

  int count(Side side) const { return static_cast<int>(of(side).begins.size()) - 1; }
  Units units(Side side, const Heads& heads) const;
  Heads heads(Side side, int unit) const;
  int kv_unit_of(int q_unit) const { return kv_unit_[static_cast<std::size_t>(q_unit)]; }
  int q_units_in(int kv_unit) const { return q_units_[static_cast<std::size_t>(kv_unit)]; }

 private:
  struct Cut {
    std::vector<int> begins;   // [units + 1]: first heads, then the number of heads
    std::vector<int> unit_at;  // [heads + 1]: the unit that begins at a head; only where one begins
  };
  const Cut& of(Side side) const { return side == Side::q ? q_ : kv_; }
  static Cut cut_at(const std::vector<bool>& bounds);

  Cut q_, kv_;
  std::vector<int> kv_unit_;  // [query units]
  std::vector<int> q_units_;  // [KV units]: how many query units read it
};

}  // namespace ringscope
