#include "core/pair_count.h"

namespace ringscope {

namespace {

std::int64_t seen_by_row(const KeyInterval& keys, const BlockRows& kv) {
  std::int64_t n = 0;
  for (const Range& r : kv.ranges()) {
    if (keys.hi > keys.lo) n += r.count_below(keys.hi) - r.count_below(keys.lo);
    if (keys.sink_end > keys.sink_begin) n += r.count_below(keys.sink_end) - r.count_below(keys.sink_begin);
  }
  return n;
}

}  // namespace

PairCounter::PairCounter(const Problem& problem, const Layout& layout)
    : problem_(problem), layout_(layout), mask_(problem.mask_rows()) {}

std::int64_t PairCounter::pairs_of_item(std::int64_t batch, const BlockRows& q, const BlockRows& kv) const {
  // lo and hi never fall, so the first and the last query settle most tiles at once.
  const KeyInterval first = mask_.row(batch, q.lowest()), last = mask_.row(batch, q.highest());
  if (!mask_.has_sinks() && (last.hi <= kv.lowest() || first.lo > kv.highest())) return 0;
  if (last.lo <= kv.lowest() && first.hi > kv.highest()) return q.rows() * kv.rows();
  std::int64_t n = 0;
  for (const Range& r : q.ranges()) {
    for (std::int64_t k = 0; k < r.size(); ++k) n += seen_by_row(mask_.row(batch, r.position(k)), kv);
  }
  return n;
}

std::int64_t PairCounter::pairs(int q_block, int kv_block) const {
  const BlockRows& q = layout_.block(Side::q, q_block);
  const BlockRows& kv = layout_.block(Side::kv, kv_block);
  if (q.rows() == 0 || kv.rows() == 0) return 0;
  if (!mask_.differs_by_batch()) return problem_.batch * pairs_of_item(0, q, kv);
  std::int64_t n = 0;
  for (std::int64_t b = 0; b < problem_.batch; ++b) n += pairs_of_item(b, q, kv);
  return n;
}

Tile PairCounter::tile(int q_block, int kv_block) const {
  const std::int64_t n = pairs(q_block, kv_block);
  if (n == 0) return Tile::empty;
  const std::int64_t all = problem_.batch * layout_.rows(Side::q, q_block) * layout_.rows(Side::kv, kv_block);
  return n == all ? Tile::full : Tile::partial;
}

std::int64_t total_pairs(const Problem& problem) {
  const MaskRows mask = problem.mask_rows();
  std::int64_t n = 0;
  const std::int64_t items = mask.differs_by_batch() ? problem.batch : 1;
  for (std::int64_t b = 0; b < items; ++b) {
    for (std::int64_t i = 0; i < problem.len_q; ++i) n += mask.row(b, i).size();
  }
  return mask.differs_by_batch() ? n : n * problem.batch;
}

bool has_empty_rows(const Problem& problem) {
  const MaskRows mask = problem.mask_rows();
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t i = 0; i < problem.len_q; ++i) {
      if (mask.row(b, i).size() == 0) return true;
    }
  }
  return false;
}

}  // namespace ringscope
