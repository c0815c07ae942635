#include "core/violation_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ringscope {

// A full log still takes the first violation of another rule, in the place of the last repeated one.
bool ViolationLog::make_room(Rule rule) {
  if (violations_.size() < most_) return true;
  const auto times = [&](Rule r) { return std::ranges::count(violations_, r, &Violation::rule); };
  if (times(rule) > 0) return false;
  const auto repeated =
      std::find_if(violations_.rbegin(), violations_.rend(), [&](const Violation& v) { return times(v.rule) > 1; });
  if (repeated == violations_.rend()) return false;
  violations_.erase(std::next(repeated).base());
  return true;
}

void ViolationLog::add(Rule rule, int step, int rank, const Slice& slice, std::string_view before,
                       std::string_view after) {
  if (!make_room(rule)) return;
  std::string sentence = "rank " + std::to_string(rank);
  sentence += step == steps_ ? " in the end " : " at step " + std::to_string(step) + " ";
  sentence += before;
  sentence += " " + to_text(slice);
  sentence += after;
  violations_.push_back({rule, step, rank, slice, std::move(sentence)});
}

void ViolationLog::add(Rule rule, int step, int rank, std::string sentence) {
  if (make_room(rule)) violations_.push_back({rule, step, rank, {}, std::move(sentence)});
}

}  // namespace ringscope
