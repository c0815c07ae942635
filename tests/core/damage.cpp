#include "tests/core/damage.h"

#include <algorithm>

namespace ringscope {

namespace {

// Where `list` of step t begins in a flat array, for step_begin.
template <class Item>
void append(std::vector<Item>& flat, const std::vector<Item>& items) {
  flat.insert(flat.end(), items.begin(), items.end());
}

}  // namespace

Damage::Damage(const Plan& plan, std::uint64_t seed) : original_(plan), rng_(seed) {
  const Schedule& s = plan.schedule;
  for (int t = 0; t < s.steps(); ++t) {
    const auto moves = s.moves_of(t);
    const auto attends = s.attends_of(t);
    const auto finishes = s.finishes_of(t);
    steps.push_back({s.pass(t),
                     {moves.begin(), moves.end()},
                     {attends.begin(), attends.end()},
                     {finishes.begin(), finishes.end()}});
  }
}

Plan Damage::plan() const {
  Plan out{original_.problem, original_.layout, {}};
  Schedule& s = out.schedule;
  for (const StepLists& step : steps) {
    s.step_begin.push_back({static_cast<std::int64_t>(s.moves.size()), static_cast<std::int64_t>(s.attends.size()),
                            static_cast<std::int64_t>(s.finishes.size()), step.pass});
    append(s.moves, step.moves);
    append(s.attends, step.attends);
    append(s.finishes, step.finishes);
  }
  return out;
}

namespace {

template <class Item>
void slip(Damage& d, std::vector<Item> StepLists::*list, const Site& site) {
  const bool back = site.t > 0 && (site.t + 1 == d.steps.size() || d.below(2) == 0);
  const std::size_t to = back ? site.t - 1 : std::min(site.t + 1, d.steps.size() - 1);
  const Item item = d.take(list, site);
  (d.steps[to].*list).push_back(item);
}

template <class Item>
bool change(Damage& d, std::vector<Item> StepLists::*list, const std::function<void(Item&)>& alter) {
  const auto site = d.pick(list, [](std::size_t, const Item&) { return true; });
  if (!site) return false;
  switch (d.below(5)) {
    case 0:
      d.take(list, *site);
      break;
    case 1:
      (d.steps[site->t].*list).push_back(d.at(list, *site));
      break;
    case 2:
      slip(d, list, *site);
      break;
    case 3: {
      auto& items = d.steps[site->t].*list;
      std::swap(items[site->i], items[d.below(items.size())]);
      break;
    }
    default:
      alter(d.at(list, *site));
  }
  return true;
}

}  // namespace

void change_anything(Damage& d) {
  const auto slot = [&] { return static_cast<std::uint16_t>(d.below(7)); };
  const auto rank = [&] {
    return static_cast<std::int32_t>(d.below(static_cast<std::size_t>(d.original().layout.ranks)));
  };
  switch (d.below(4)) {
    case 0:
      change<Attend>(d, &StepLists::attends, [&](Attend& a) { (d.below(2) == 0 ? a.acc_q : a.acc_kv) = slot(); });
      break;
    case 1:
      change<Finish>(d, &StepLists::finishes, [&](Finish& f) { f.slot = slot(); });
      break;
    default:
      change<Move>(d, &StepLists::moves, [&](Move& m) {
        switch (d.below(4)) {
          case 0:
            m.slot = slot();
            break;
          case 1:
            m.source = m.source == Source::give ? Source::keep : Source::give;
            break;
          case 2:
            m.lag = static_cast<std::uint16_t>(d.below(3));
            break;
          default:
            if (m.to != nobody) m.to = rank();
        }
      });
  }
}

}  // namespace ringscope
