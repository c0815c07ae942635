// A plan taken apart into lists per step, so that tests can damage it and put it together again.
#pragma once
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/schedule_check.h"

namespace ringscope {

struct StepLists {
  Pass pass = Pass::forward;
  std::vector<Move> moves;
  std::vector<Attend> attends;
  std::vector<Finish> finishes;
};

// Item `i` of a list of step `t`.
struct Site {
  std::size_t t = 0, i = 0;
};

class Damage {
 public:
  Damage(const Plan& plan, std::uint64_t seed);

  Plan plan() const;  // what the lists now say
  const Plan& original() const { return original_; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(rng_() % n); }

  // A random item that satisfies the condition, if there is one.
  template <class Item, class Condition>
  std::optional<Site> pick(std::vector<Item> StepLists::*list, const Condition& condition) {
    std::vector<Site> sites;
    for (std::size_t t = 0; t < steps.size(); ++t) {
      for (std::size_t i = 0; i < (steps[t].*list).size(); ++i) {
        if (condition(t, (steps[t].*list)[i])) sites.push_back({t, i});
      }
    }
    if (sites.empty()) return std::nullopt;
    return sites[below(sites.size())];
  }
  template <class Item>
  Item& at(std::vector<Item> StepLists::*list, const Site& s) {
    return (steps[s.t].*list)[s.i];
  }
  template <class Item>
  Item take(std::vector<Item> StepLists::*list, const Site& s) {
    const Item item = at(list, s);
    (steps[s.t].*list).erase((steps[s.t].*list).begin() + static_cast<std::ptrdiff_t>(s.i));
    return item;
  }

  std::vector<StepLists> steps;

 private:
  const Plan& original_;
  std::mt19937_64 rng_;
};

// One kind of mistake. `make` returns false where the plan has no place for it. Every rule of `rules` is a right
// answer.
struct Plant {
  std::string what;
  std::vector<Rule> rules;
  std::function<bool(Damage&)> make;
};
std::span<const Plant> plants();

// Some change or other, right or wrong: what the soundness fuzz uses.
void change_anything(Damage& damage);

}  // namespace ringscope
