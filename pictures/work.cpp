#include "pictures/work.h"

#include <algorithm>

#include "core/index.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

void add_blocks(const Layout& layout, Side side, const Blocks& blocks, std::vector<int>& list) {
  for (int i = 0; i < blocks.count; ++i) {
    if (layout.rows(side, blocks.at(i)) > 0) list.push_back(blocks.at(i));
  }
}

void sort_once(std::vector<int>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Ascending block numbers as a slice's blocks where they are evenly spaced, else the first alone.
Blocks as_blocks(const std::vector<int>& list) {
  if (list.size() < 2) return {list.empty() ? 0 : list[0], static_cast<int>(list.size()), 1};
  const int stride = list[1] - list[0];
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (list[i] - list[i - 1] != stride) return {list[0], 1, 1};
  }
  return {list[0], static_cast<int>(list.size()), stride};
}

// "KV3", or "KV0+4" for five blocks that no slice's notation holds.
std::string name_of_blocks(TensorKind tensor, const std::vector<int>& list) {
  const Blocks blocks = as_blocks(list);
  const std::string name = short_name(tensor, blocks);
  const auto rest = static_cast<std::int64_t>(list.size()) - blocks.count;
  return rest > 0 ? name + "+" + std::to_string(rest) : name;
}

bool has_foreign(const Layout& layout, int rank, const std::vector<int>& list) {
  return std::any_of(list.begin(), list.end(), [&](int block) { return layout.owner(block) != rank; });
}

}  // namespace

WorkReader::WorkReader(const Plan& plan) : plan_(plan) {
  const PairCounter counter(plan.problem, plan.layout);
  const int n = plan.layout.blocks();
  pairs_.reserve(at(static_cast<std::int64_t>(n) * n));
  for (int q = 0; q < n; ++q) {
    for (int kv = 0; kv < n; ++kv) pairs_.push_back(counter.pairs(q, kv));
  }
}

std::int64_t WorkReader::pairs(int q_block, int kv_block) const {
  return pairs_[at(static_cast<std::int64_t>(q_block) * plan_.layout.blocks() + kv_block)];
}

Work WorkReader::work_of(int rank, std::vector<int> q_blocks, std::vector<int> kv_blocks) const {
  const Layout& layout = plan_.layout;
  sort_once(q_blocks);
  sort_once(kv_blocks);
  Work work;
  const bool q_came = has_foreign(layout, rank, q_blocks) && !has_foreign(layout, rank, kv_blocks);
  const std::vector<int>& named = q_came ? q_blocks : kv_blocks;
  if (!named.empty()) {
    work.name = name_of_blocks(q_came ? TensorKind::q : TensorKind::kv, named);
    work.tint = layout.owner(named.front()) == layout.owner(named.back()) ? layout.owner(named.front()) : -1;
  }
  return work;
}

std::vector<Work> WorkReader::step(int step) const {
  const Layout& layout = plan_.layout;
  struct Sum {
    std::vector<int> q, kv;
    std::int64_t pairs = 0, all = 0;
  };
  std::vector<Sum> sums(at(layout.ranks));
  for (const Attend& a : plan_.schedule.attends_of(step)) {
    Sum& sum = sums[at(a.rank)];
    std::vector<int> q, kv;
    add_blocks(layout, Side::q, a.q, q);
    add_blocks(layout, Side::kv, a.kv, kv);
    for (const int i : q) {
      for (const int j : kv) {
        sum.pairs += a.q_heads.count() * pairs(i, j);
        sum.all += a.q_heads.count() * plan_.problem.batch * layout.rows(Side::q, i) * layout.rows(Side::kv, j);
      }
    }
    sum.q.insert(sum.q.end(), q.begin(), q.end());
    sum.kv.insert(sum.kv.end(), kv.begin(), kv.end());
  }
  std::vector<Work> works;
  for (int rank = 0; rank < layout.ranks; ++rank) {
    Sum& sum = sums[at(rank)];
    Work work = work_of(rank, std::move(sum.q), std::move(sum.kv));
    work.pairs = sum.pairs;
    work.tile = sum.pairs == 0 ? Tile::empty : sum.pairs == sum.all ? Tile::full : Tile::partial;
    works.push_back(std::move(work));
  }
  return works;
}

int owner_of(const Layout& layout, const Blocks& blocks) {
  const int owner = layout.owner(blocks.first);
  for (int i = 1; i < blocks.count; ++i) {
    if (layout.owner(blocks.at(i)) != owner) return -1;
  }
  return owner;
}

}  // namespace ringscope
