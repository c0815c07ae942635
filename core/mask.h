// Which keys a query may see, as intervals of key positions: no mask matrix is ever built.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace ringscope {

struct Window {
  std::int64_t left = -1, right = -1;  // keys to the left and right of p; -1 is unlimited
  bool operator==(const Window&) const = default;
};

// Everything unset is the full mask. Words combine: all must hold; sinks add keys that only the window hid.
struct Mask {
  bool causal = false;
  std::optional<std::int64_t> prefix;  // keys below it are seen by all; the rest causal
  std::optional<Window> window;
  std::vector<std::int64_t> docs;      // boundaries a < b < c ...: p and key both in [a, b) or both in [b, c) ...
  std::int64_t chunk = 0;              // p and key in the same run of `chunk` positions; 0 is off
  std::int64_t sinks = 0;              // first keys of the row's document that the window does not hide
  std::optional<std::int64_t> offset;  // p = i + offset; absent: len_kv - len_q (bottom-right)
  std::vector<std::int64_t> kv_lens;   // keys from kv_lens[b] on are never seen
  bool operator==(const Mask&) const = default;

  // Throws Error(bad_request) with the field, its value and the rule.
  void validate(std::int64_t batch, std::int64_t len_q, std::int64_t len_kv) const;
};

// Query i sees key j when lo <= j < hi or sink_begin <= j < sink_end. lo and hi never fall as i grows; lo may exceed
// hi. The two intervals never overlap: sink_end <= lo.
struct KeyInterval {
  std::int64_t lo = 0, hi = 0, sink_begin = 0, sink_end = 0;
  std::int64_t size() const { return (hi > lo ? hi - lo : 0) + (sink_end > sink_begin ? sink_end - sink_begin : 0); }
  bool contains(std::int64_t j) const { return (j >= lo && j < hi) || (j >= sink_begin && j < sink_end); }
};

// The mask of one problem, row by row. Copies what it needs.
class MaskRows {
 public:
  MaskRows(Mask mask, std::int64_t len_q, std::int64_t len_kv);

  KeyInterval row(std::int64_t batch, std::int64_t i) const;
  std::int64_t key_position(std::int64_t i) const { return i + offset_; }  // p
  bool differs_by_batch() const { return !mask_.kv_lens.empty(); }
  bool has_sinks() const { return mask_.sinks > 0; }

 private:
  Mask mask_;
  std::int64_t len_kv_, offset_;
};

// The definition, one pair at a time and without intervals: what MaskRows is tested against.
bool may_see(const Mask& mask, std::int64_t len_q, std::int64_t len_kv, std::int64_t batch, std::int64_t i,
             std::int64_t j);

}  // namespace ringscope
