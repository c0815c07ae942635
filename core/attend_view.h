// What a kernel needs to know of one Attend: positions and local key spans per row. Kernels never see a mask's name.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/plan.h"

namespace ringscope {

// Local keys [begin, end) of the attend's concatenated KV blocks; spans of a row ascend and do not touch.
struct LocalSpan {
  std::int32_t begin = 0, end = 0;
  bool operator==(const LocalSpan&) const = default;
};

// Local rows and keys run through the slice's blocks in slice order; blocks without rows add none.
class AttendView {
 public:
  AttendView(const Plan& plan, const Attend& attend);
  // The same rows and keys, seen otherwise: what planted faults need.
  using Sees = std::function<bool(std::int64_t batch, std::int64_t row, std::int64_t key)>;  // local
  AttendView(const AttendView& right, std::int64_t batch, const Sees& sees);

  std::span<const std::int64_t> q_positions() const { return q_positions_; }    // i, [rows]
  std::span<const std::int64_t> kv_positions() const { return kv_positions_; }  // j, [keys]
  std::int64_t key_position(std::int64_t row) const;                            // p of a local row
  // Which local keys a local row sees, for one batch item.
  std::span<const LocalSpan> spans(std::int64_t batch, std::int64_t row) const;
  std::int64_t rows() const { return static_cast<std::int64_t>(q_positions_.size()); }
  std::int64_t keys() const { return static_cast<std::int64_t>(kv_positions_.size()); }

 private:
  MaskRows mask_;
  bool by_batch_ = false;  // spans differ between batch items
  std::vector<std::int64_t> q_positions_, kv_positions_;
  std::vector<LocalSpan> spans_;
  std::vector<std::int64_t> span_begin_;  // [items * rows + 1]
};

}  // namespace ringscope
