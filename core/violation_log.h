// Collects what a proof finds: the first violations, and of every broken rule at least one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/schedule_check.h"

namespace ringscope {

class ViolationLog {
 public:
  explicit ViolationLog(int most) : most_(static_cast<std::size_t>(most < 1 ? 1 : most)) {}

  // The sentence becomes "rank R at step T BEFORE SLICE AFTER"; `step` may be one past the last: "in the end".
  void add(Rule rule, int step, int rank, const Slice& slice, std::string_view before, std::string_view after);
  // For what has no slice: the sentence is taken as it is.
  void add(Rule rule, int step, int rank, std::string sentence);

  bool empty() const { return violations_.empty(); }
  void set_steps(int steps) { steps_ = steps; }
  std::vector<Violation> take() { return std::move(violations_); }

 private:
  bool make_room(Rule rule);

  std::size_t most_;
  int steps_ = -1;
  std::vector<Violation> violations_;
};

}  // namespace ringscope
