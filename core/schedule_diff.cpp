#include "core/schedule_diff.h"

#include <algorithm>
#include <array>

namespace ringscope {

namespace {

ScheduleDifference told(const Attend& a) {
  const Slice kv{TensorKind::kv, a.kv, a.kv_heads};
  return {a.rank, 0, kv, "attend " + to_text(Slice{TensorKind::q, a.q, a.q_heads}) + " with " + to_text(kv)};
}

ScheduleDifference told(const Move& m) {
  const std::string to = m.to == nobody ? " to nobody" : " to rank " + std::to_string(m.to);
  return {m.from, 0, m.slice(), "send " + to_text(m.slice()) + to};
}

ScheduleDifference told(const Finish& f) {
  const Slice q{TensorKind::q, f.q, f.heads};
  return {f.rank, 0, q, "finish " + to_text(q)};
}

// The first record of `these` that `others` lack.
template <class Item>
const Item* first_lacking(std::span<const Item> these, std::span<const Item> others) {
  std::vector<bool> used(others.size(), false);
  for (const Item& item : these) {
    std::size_t n = 0;
    while (n < others.size() && (used[n] || !(others[n] == item))) ++n;
    if (n == others.size()) return &item;
    used[n] = true;
  }
  return nullptr;
}

template <class Item>
std::optional<ScheduleDifference> difference(std::span<const Item> clean, std::span<const Item> damaged, int step) {
  if (std::equal(clean.begin(), clean.end(), damaged.begin(), damaged.end())) return std::nullopt;
  const Item* missing = first_lacking(clean, damaged);
  const Item* added = missing == nullptr ? first_lacking(damaged, clean) : nullptr;
  if (missing == nullptr && added == nullptr) return std::nullopt;  // another order
  ScheduleDifference out = told(missing != nullptr ? *missing : *added);
  out.step = step;
  out.sentence = "rank " + std::to_string(out.rank) + " at step " + std::to_string(step) +
                 (missing != nullptr ? " does not " : " should not ") + out.sentence;
  return out;
}

}  // namespace

std::optional<ScheduleDifference> first_difference(const Schedule& clean, const Schedule& damaged) {
  for (int t = 0; t < std::min(clean.steps(), damaged.steps()); ++t) {
    if (auto d = difference(clean.attends_of(t), damaged.attends_of(t), t)) return d;
    if (auto d = difference(clean.moves_of(t), damaged.moves_of(t), t)) return d;
    if (auto d = difference(clean.finishes_of(t), damaged.finishes_of(t), t)) return d;
  }
  return std::nullopt;
}

}  // namespace ringscope
