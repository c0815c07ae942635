#include "core/pair_path.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace ringscope {

namespace {

bool holds(const Blocks& blocks, int block) {
  const int away = block - blocks.first;
  return away >= 0 && away % blocks.stride == 0 && away / blocks.stride < blocks.count;
}
bool holds(const Heads& heads, std::int64_t head) {
  return head >= heads.begin && head < heads.end;
}
bool holds(const Range& r, std::int64_t position) {
  return r.count_below(position + 1) > r.count_below(position);
}

void require_below(const char* what, std::int64_t value, std::int64_t end) {
  if (value >= 0 && value < end) return;
  throw Error(ErrorKind::bad_request, std::string(what) + " " + std::to_string(value),
              std::string(what) + " between 0 and " + std::to_string(end - 1));
}

int block_of(const Layout& layout, Side side, std::int64_t position) {
  for (int b = 0; b < layout.blocks(); ++b) {
    for (const Range& r : layout.block(side, b).ranges()) {
      if (holds(r, position)) return b;
    }
  }
  ensure(false, "every position has an owner");
  return 0;
}

// Every hop of one block and head, by posting step.
std::vector<Hop> hops_of(const Schedule& s, TensorKind tensor, int block, std::int64_t head) {
  std::vector<Hop> out;
  for (int t = 0; t < s.steps(); ++t) {
    for (const Move& m : s.moves_of(t)) {
      if (m.to == nobody || m.tensor != tensor || !holds(m.blocks, block) || !holds(m.heads, head)) continue;
      out.push_back({t, t + m.lag, m.from, m.to});
    }
  }
  return out;
}

// Back from the rank that needs the block before `step`: each time by the latest hop that had landed.
std::vector<Hop> way_to(const std::vector<Hop>& hops, int rank, int step) {
  std::vector<Hop> way;
  while (true) {
    const Hop* latest = nullptr;
    for (const Hop& h : hops) {
      if (h.to == rank && h.lands < step && (latest == nullptr || h.lands > latest->lands)) latest = &h;
    }
    if (latest == nullptr) break;
    way.push_back(*latest);
    rank = latest->from;
    step = latest->step;
  }
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace

PairPath find_pair(const Plan& plan, std::int64_t i, std::int64_t j, std::int64_t head) {
  const Problem& p = plan.problem;
  require_below("query", i, p.len_q);
  require_below("key", j, p.len_kv);
  require_below("query head", head, p.heads_q);
  const std::int64_t kv_head = head / p.group();
  PairPath path{block_of(plan.layout, Side::q, i), block_of(plan.layout, Side::kv, j), {}};
  const Schedule& s = plan.schedule;
  const std::vector<Hop> q_hops = hops_of(s, TensorKind::q, path.q_block, head);
  const std::vector<Hop> kv_hops = hops_of(s, TensorKind::kv, path.kv_block, kv_head);
  for (int t = 0; t < s.steps(); ++t) {
    for (const Attend& a : s.attends_of(t)) {
      const bool meets = holds(a.q, path.q_block) && holds(a.kv, path.kv_block) && holds(a.q_heads, head);
      if (!meets) continue;
      path.meetings.push_back({s.pass(t), a.rank, t, way_to(q_hops, a.rank, t), way_to(kv_hops, a.rank, t)});
    }
  }
  return path;
}

}  // namespace ringscope
