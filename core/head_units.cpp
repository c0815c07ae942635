#include "core/head_units.h"

namespace ringscope {

namespace {

void mark(std::vector<bool>& bounds, const Heads& heads) {
  bounds[heads.begin] = true;
  bounds[heads.end] = true;
}

// A query bound inside a group of query heads that share a KV head sets that KV head apart.
void align(std::vector<bool>& q, std::vector<bool>& kv) {
  const std::size_t group = (q.size() - 1) / (kv.size() - 1);
  for (std::size_t h = 0; h < q.size(); ++h) {
    if (!q[h]) continue;
    kv[h / group] = true;
    if (h % group != 0) kv[h / group + 1] = true;
  }
  for (std::size_t h = 0; h < kv.size(); ++h) {
    if (kv[h]) q[h * group] = true;
  }
}

}  // namespace

HeadUnits::Cut HeadUnits::cut_at(const std::vector<bool>& bounds) {
  Cut cut;
  cut.unit_at.resize(bounds.size(), -1);
  for (std::size_t h = 0; h < bounds.size(); ++h) {
    if (!bounds[h]) continue;
    cut.unit_at[h] = static_cast<int>(cut.begins.size());
    cut.begins.push_back(static_cast<int>(h));
  }
  return cut;
}

HeadUnits::HeadUnits(const Plan& plan) {
  const Problem& p = plan.problem;
  std::vector<bool> q(static_cast<std::size_t>(p.heads_q + 1)), kv(static_cast<std::size_t>(p.heads_kv + 1));
  q.front() = q.back() = kv.front() = kv.back() = true;
  for (const Move& m : plan.schedule.moves) mark(side_of(m.tensor) == Side::q ? q : kv, m.heads);
  for (const Attend& a : plan.schedule.attends) {
    mark(q, a.q_heads);
    mark(kv, a.kv_heads);
  }
  for (const Finish& f : plan.schedule.finishes) mark(q, f.heads);
  align(q, kv);
  q_ = cut_at(q);
  kv_ = cut_at(kv);
  q_units_.resize(static_cast<std::size_t>(count(Side::kv)));
  int kv_unit = 0;
  for (int u = 0; u < count(Side::q); ++u) {
    const auto first = heads(Side::q, u).begin / p.group();
    while (heads(Side::kv, kv_unit).end <= first) ++kv_unit;
    kv_unit_.push_back(kv_unit);
    ++q_units_[static_cast<std::size_t>(kv_unit)];
  }
}

Units HeadUnits::units(Side side, const Heads& heads) const {
  const Cut& cut = of(side);
  return {cut.unit_at[heads.begin], cut.unit_at[heads.end]};
}

Heads HeadUnits::heads(Side side, int unit) const {
  const auto u = static_cast<std::size_t>(unit);
  const Cut& cut = of(side);
  return {static_cast<std::uint16_t>(cut.begins[u]), static_cast<std::uint16_t>(cut.begins[u + 1])};
}

}  // namespace ringscope
