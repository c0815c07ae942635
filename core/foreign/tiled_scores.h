// Scores of one tile: 64 query rows by 32 keys of one head, with all score terms and the mask.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/data.h"
#include "core/dropout.h"
#include "core/foreign/tile_product.h"
#include "core/foreign/tiled_keys.h"
#include "core/math.h"
#include "core/problem.h"

namespace ringscope {

inline constexpr std::int64_t tile_rows = 64;

template <class Real>
using Tile = std::array<Real, static_cast<std::size_t>(tile_rows* tile_keys)>;  // [64, 32]

// Query rows first .. first + count of one head of one batch entry, and the keys that they see.
struct TileRows {
  std::int64_t batch = 0, head = 0, first = 0, count = 0;
  std::array<KeyInterval, static_cast<std::size_t>(tile_rows)> keys;

  TileRows(const MaskRows& mask, std::int64_t b, std::int64_t h, std::int64_t begin, std::int64_t end)
      : batch(b), head(h), first(begin), count(std::min(tile_rows, end - begin)) {
    for (std::int64_t r = 0; r < count; ++r) keys[static_cast<std::size_t>(r)] = mask.row(b, begin + r);
  }
  const KeyInterval& of(std::int64_t r) const { return keys[static_cast<std::size_t>(r)]; }
  std::int64_t pairs() const {
    std::int64_t n = 0;
    for (std::int64_t r = 0; r < count; ++r) n += of(r).size();
    return n;
  }
};

enum class Coverage : std::uint8_t { empty, partial, full };

inline Coverage coverage(const TileRows& rows, std::int64_t tile) {
  const std::int64_t begin = tile * tile_keys, end = begin + tile_keys;
  bool any = false, all = true;
  for (std::int64_t r = 0; r < rows.count; ++r) {
    const KeyInterval& k = rows.of(r);
    const bool main = k.lo < k.hi && k.lo < end && k.hi > begin;
    const bool sinks = k.sink_begin < k.sink_end && k.sink_begin < end && k.sink_end > begin;
    any = any || main || sinks;
    all = all && k.lo <= begin && k.hi >= end;
  }
  return all ? Coverage::full : any ? Coverage::partial : Coverage::empty;
}

// What one tile holds. Masked pairs have score -inf.
template <class Real>
struct TileScores {
  Tile<Real> value{};
  Tile<Real> steepness{};  // d value / d (scaled q.k); filled when there is a softcap
  Tile<Real> kept{};       // the factor of dropout; filled when there is dropout
};

template <class Real>
class TileScorer {
 public:
  TileScorer(const Problem& problem, const Inputs& terms)
      : scale_(static_cast<Real>(problem.scale())),
        cap_(static_cast<Real>(problem.terms.softcap)),
        dropout_(problem.terms.dropout),
        seed_(terms.dropout_seed),
        offset_(problem.mask_rows().key_position(0)),
        slopes_(terms.alibi_slope.begin(), terms.alibi_slope.end()) {
    if (!problem.terms.alibi || !slopes_.empty()) return;
    for (std::int64_t h = 0; h < problem.heads_q; ++h) {
      slopes_.push_back(std::exp2(Real{-8} * static_cast<Real>(h + 1) / static_cast<Real>(problem.heads_q)));
    }
  }

  Real scale() const { return scale_; }
  bool has_cap() const { return cap_ > 0; }
  bool has_dropout() const { return dropout_ > 0; }

  // scale q.k; q: [count, dim] of the rows, k: the head's keys.
  void multiply(const TileRows& rows, const Real* q, const TiledKeys<Real>& k, std::int64_t tile,
                Tile<Real>& out) const {
    out.fill(Real{0});
    add_product<Zeros::multiply>(rows.count, k.dim(), tile_keys, Strided<Real>{q, k.dim(), 1}, k.turned(tile),
                                 tile_keys, out.data(), tile_keys);
    for (Real& s : out) s *= scale_;
  }

  // The terms after the product.
  void add_terms(const TileRows& rows, std::int64_t tile, Coverage covered, TileScores<Real>& out) const {
    if (cap_ > 0) cap(out);
    if (!slopes_.empty()) add_bias(rows, tile, out.value);
    if (covered != Coverage::full) hide(rows, tile, -std::numeric_limits<Real>::infinity(), out.value);
    if (dropout_ > 0) drop(rows, tile, out.kept);
  }

  // Puts `value` where the mask hides a key.
  static void hide(const TileRows& rows, std::int64_t tile, Real value, Tile<Real>& x) {
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const KeyInterval& keys = rows.of(r);
      Real* row = x.data() + r * tile_keys;
      for (std::int64_t j = 0; j < tile_keys; ++j) {
        if (!keys.contains(tile * tile_keys + j)) row[j] = value;
      }
    }
  }

 private:
  void cap(TileScores<Real>& out) const {
    for (std::size_t at = 0; at < out.value.size(); ++at) {
      const Real t = math::tanh(out.value[at] / cap_);
      out.value[at] = cap_ * t;
      out.steepness[at] = 1 - t * t;
    }
  }

  void add_bias(const TileRows& rows, std::int64_t tile, Tile<Real>& s) const {
    const Real slope = slopes_[static_cast<std::size_t>(rows.head)];
    for (std::int64_t r = 0; r < rows.count; ++r) {
      const std::int64_t distance = tile * tile_keys - (rows.first + r + offset_);
      Real* row = s.data() + r * tile_keys;
      for (std::int64_t j = 0; j < tile_keys; ++j) row[j] += slope * static_cast<Real>(distance + j);
    }
  }

  void drop(const TileRows& rows, std::int64_t tile, Tile<Real>& kept) const {
    const Real factor = Real{1} / (Real{1} - static_cast<Real>(dropout_));
    for (std::int64_t r = 0; r < rows.count; ++r) {
      for (std::int64_t j = 0; j < tile_keys; ++j) {
        const bool keeps = dropout_keeps(seed_, dropout_, rows.batch, rows.head, rows.first + r, tile * tile_keys + j);
        kept[static_cast<std::size_t>(r * tile_keys + j)] = keeps ? factor : Real{0};
      }
    }
  }

  Real scale_, cap_;
  double dropout_;
  std::uint64_t seed_;
  std::int64_t offset_;
  std::vector<Real> slopes_;  // [Hq]; empty without ALiBi
};

}  // namespace ringscope
