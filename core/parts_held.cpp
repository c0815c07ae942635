#include "core/parts_held.h"

#include <map>

namespace ringscope {

namespace {

bool has_block(const Blocks& blocks, int block) {
  for (std::int32_t i = 0; i < blocks.count; ++i) {
    if (blocks.at(i) == block) return true;
  }
  return false;
}

bool has_head(const Heads& heads, int head) {
  return heads.begin <= head && head < heads.end;
}

void append(Parts& to, const Parts& from) {
  if (!from) return;
  if (!to) to.emplace();
  to->insert(to->end(), from->begin(), from->end());
}

class Follower {
 public:
  Follower(const Plan& plan, const Accumulator& accumulator)
      : plan_(plan), a_(accumulator), held_(static_cast<std::size_t>(plan.layout.ranks)) {}

  std::vector<std::vector<Parts>> run() {
    std::vector<std::vector<Parts>> after;
    for (int t = 0; t < plan_.schedule.steps(); ++t) {
      step(t);
      after.push_back(held_);
    }
    return after;
  }

 private:
  struct Landing {
    int to = 0;
    Parts parts;
  };

  Parts& on(int rank) { return held_[static_cast<std::size_t>(rank)]; }

  void step(int t) {
    std::vector<int> gone;
    for (const Move& m : plan_.schedule.moves_of(t)) {
      if (m.tensor != a_.tensor || !has_block(m.blocks, a_.block) || !has_head(m.heads, a_.head)) continue;
      const bool spared = m.to == nobody && plan_.layout.owner(a_.block) == m.from;
      if (m.to != nobody) landings_[t + m.lag].push_back({m.to, on(m.from)});
      if ((m.source == Source::give || m.to == nobody) && !spared) gone.push_back(m.from);
    }
    const Pass wanted = a_.tensor == TensorKind::state ? Pass::forward : Pass::backward;
    if (plan_.schedule.pass(t) == wanted) attend(t);
    for (const int rank : gone) on(rank).reset();
    for (const Landing& landing : landings_[t]) append(on(landing.to), landing.parts);
    landings_.erase(t);
  }

  void attend(int t) {
    for (const Attend& a : plan_.schedule.attends_of(t)) {
      if (a_.tensor == TensorKind::dkv) {
        attend_keys(a);
      } else if (has_block(a.q, a_.block) && has_head(a.q_heads, a_.head)) {
        Parts parts(std::in_place);
        for (std::int32_t i = 0; i < a.kv.count; ++i) parts->push_back({a_.block, a_.head, a.kv.at(i)});
        append(on(a.rank), parts);
      }
    }
    if (a_.tensor != TensorKind::state) return;
    for (const Finish& f : plan_.schedule.finishes_of(t)) {
      if (has_block(f.q, a_.block) && has_head(f.heads, a_.head)) on(f.rank).reset();
    }
  }

  void attend_keys(const Attend& a) {
    if (!has_block(a.kv, a_.block) || !has_head(a.kv_heads, a_.head)) return;
    Parts parts(std::in_place);
    for (int h = a.q_heads.begin; h < a.q_heads.end; ++h) {
      if (h / plan_.problem.group() != a_.head) continue;
      for (std::int32_t i = 0; i < a.q.count; ++i) parts->push_back({a.q.at(i), h, a_.block});
    }
    append(on(a.rank), parts);
  }

  const Plan& plan_;
  Accumulator a_;
  std::vector<Parts> held_;                       // [rank]
  std::map<int, std::vector<Landing>> landings_;  // by the step at whose end they land
};

}  // namespace

std::vector<std::vector<Parts>> parts_held(const Plan& plan, const Accumulator& accumulator) {
  return Follower(plan, accumulator).run();
}

}  // namespace ringscope
