#include "core/attend_view.h"

namespace ringscope {

namespace {

std::vector<std::int64_t> positions_of(const Layout& layout, Side side, const Blocks& blocks) {
  std::vector<std::int64_t> out;
  for (std::int32_t i = 0; i < blocks.count; ++i) {
    const auto p = layout.block(side, blocks.at(i)).positions();
    out.insert(out.end(), p.begin(), p.end());
  }
  return out;
}

void append(std::vector<LocalSpan>& spans, std::size_t row_begin, std::int64_t begin, std::int64_t end) {
  if (end <= begin) return;
  if (spans.size() > row_begin && spans.back().end == begin) {
    spans.back().end = static_cast<std::int32_t>(end);
    return;
  }
  spans.push_back({static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end)});
}

}  // namespace

AttendView::AttendView(const Plan& plan, const Attend& attend)
    : mask_(plan.problem.mask_rows()),
      by_batch_(mask_.differs_by_batch()),
      q_positions_(positions_of(plan.layout, Side::q, attend.q)),
      kv_positions_(positions_of(plan.layout, Side::kv, attend.kv)) {
  const std::int64_t items = by_batch_ ? plan.problem.batch : 1;
  span_begin_.reserve(static_cast<std::size_t>(items * rows() + 1));
  span_begin_.push_back(0);
  for (std::int64_t b = 0; b < items; ++b) {
    for (const std::int64_t i : q_positions_) {
      const KeyInterval keys = mask_.row(b, i);
      const std::size_t row_begin = spans_.size();
      std::int64_t base = 0;
      for (std::int32_t n = 0; n < attend.kv.count; ++n) {
        for (const Range& r : plan.layout.block(Side::kv, attend.kv.at(n)).ranges()) {
          append(spans_, row_begin, base + r.count_below(keys.sink_begin), base + r.count_below(keys.sink_end));
          append(spans_, row_begin, base + r.count_below(keys.lo), base + r.count_below(keys.hi));
          base += r.size();
        }
      }
      span_begin_.push_back(static_cast<std::int64_t>(spans_.size()));
    }
  }
}

AttendView::AttendView(const AttendView& right, std::int64_t batch, const Sees& sees)
    : mask_(right.mask_), by_batch_(true), q_positions_(right.q_positions_), kv_positions_(right.kv_positions_) {
  span_begin_.push_back(0);
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t row = 0; row < rows(); ++row) {
      const std::size_t row_begin = spans_.size();
      for (std::int64_t key = 0; key < keys(); ++key) {
        if (sees(b, row, key)) append(spans_, row_begin, key, key + 1);
      }
      span_begin_.push_back(static_cast<std::int64_t>(spans_.size()));
    }
  }
}

std::int64_t AttendView::key_position(std::int64_t row) const {
  return mask_.key_position(q_positions_[static_cast<std::size_t>(row)]);
}

std::span<const LocalSpan> AttendView::spans(std::int64_t batch, std::int64_t row) const {
  const auto at = static_cast<std::size_t>((by_batch_ ? batch : 0) * rows() + row);
  return std::span(spans_).subspan(static_cast<std::size_t>(span_begin_[at]),
                                   static_cast<std::size_t>(span_begin_[at + 1] - span_begin_[at]));
}

}  // namespace ringscope
