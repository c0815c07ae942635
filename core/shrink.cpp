#include "core/shrink.h"

#include <set>
#include <string>

#include "core/simplify.h"

namespace ringscope {

namespace {

class Search {
 public:
  Search(Case failing, const StillFails& still_fails, int most_tries)
      : smallest_(std::move(failing)), still_fails_(still_fails), tries_left_(most_tries) {}

  Case run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const Simplification s : simplifications()) {
        while (step(s)) moved = true;
      }
    }
    return smallest_;
  }

 private:
  bool step(Simplification simplification) {
    for (const Case& simpler : simpler_cases(smallest_, simplification)) {
      if (!fails(simpler)) continue;
      smallest_ = simpler;
      return true;
    }
    return false;
  }

  bool fails(const Case& c) {
    if (tries_left_ <= 0 || !asked_.insert(to_line(c)).second) return false;
    --tries_left_;
    return still_fails_(c);
  }

  Case smallest_;
  const StillFails& still_fails_;
  int tries_left_;
  std::set<std::string> asked_;
};

}  // namespace

Case shrink(const Case& failing, const StillFails& still_fails, int most_tries) {
  return Search(canonical(failing), still_fails, most_tries).run();
}

bool is_same_failure(const Report& a, const Report& b) {
  if (a.verdict != b.verdict || a.where.has_value() != b.where.has_value()) return false;
  return !a.where || (a.where->check == b.where->check && a.where->output == b.where->output);
}

bool is_failure(Verdict verdict) {
  return verdict == Verdict::failed || verdict == Verdict::mistrusted || verdict == Verdict::faulted;
}

}  // namespace ringscope
