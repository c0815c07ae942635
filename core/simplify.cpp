#include "core/simplify.h"

#include <algorithm>

#include "core/error.h"

namespace ringscope {

namespace {

bool is_valid(const Case& c) {
  try {
    validate(c);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::vector<std::int64_t> numbers_below(std::int64_t n, std::int64_t low) {
  constexpr std::int64_t few = 8;
  std::vector<std::int64_t> numbers;
  for (std::int64_t step = n - low; step > 0; step = n - low > few ? step / 2 : step - 1) numbers.push_back(n - step);
  return numbers;
}

std::vector<Case> with_each(const Case& c, const std::vector<std::int64_t>& numbers,
                            const std::function<void(Case&, std::int64_t)>& set) {
  std::vector<Case> cases(numbers.size(), c);
  for (std::size_t n = 0; n < numbers.size(); ++n) set(cases[n], numbers[n]);
  return cases;
}

std::span<const Simplification> simplifications() {
  static const std::vector<Simplification> all = [] {
    std::vector<Simplification> out = recipe_simplifications();
    for (const Simplification s : problem_simplifications()) out.push_back(s);
    return out;
  }();
  return all;
}

std::vector<Case> simpler_cases(const Case& c, Simplification simplification) {
  std::vector<Case> cases;
  for (const Case& candidate : simplification(c)) {
    const Case simpler = canonical(candidate);
    if (simpler == c || !is_valid(simpler)) continue;
    if (std::find(cases.begin(), cases.end(), simpler) == cases.end()) cases.push_back(simpler);
  }
  return cases;
}

std::vector<Case> simpler_cases(const Case& c) {
  std::vector<Case> cases;
  for (const Simplification s : simplifications()) {
    const auto some = simpler_cases(c, s);
    cases.insert(cases.end(), some.begin(), some.end());
  }
  return cases;
}

}  // namespace ringscope
