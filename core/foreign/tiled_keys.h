// One KV head cut into tiles of 32 keys: rows as they are, and every tile turned so that keys lie together.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace ringscope {

inline constexpr std::int64_t tile_keys = 32;  // of the data README's yardstick

template <class Real>
bool all_finite(std::span<const Real> values) {
  return std::all_of(values.begin(), values.end(), [](Real x) { return std::isfinite(x); });
}

template <class Real>
class TiledKeys {
 public:
  // rows: [Skv, dim]; rows of 0 fill the last tile.
  TiledKeys(std::span<const Real> rows, std::int64_t dim) : dim_(dim) {
    const std::int64_t keys = static_cast<std::int64_t>(rows.size()) / dim;
    const std::int64_t tiles = (keys + tile_keys - 1) / tile_keys;
    rows_.assign(static_cast<std::size_t>(tiles * tile_keys * dim), Real{0});
    std::copy(rows.begin(), rows.end(), rows_.begin());
    turned_.resize(rows_.size());
    for (std::int64_t key = 0; key < tiles * tile_keys; ++key) {
      Real* to = turned_.data() + key / tile_keys * tile_keys * dim + key % tile_keys;
      for (std::int64_t d = 0; d < dim; ++d) to[d * tile_keys] = rows_[static_cast<std::size_t>(key * dim + d)];
    }
  }

  std::int64_t dim() const { return dim_; }
  const Real* rows(std::int64_t tile) const { return rows_.data() + tile * tile_keys * dim_; }      // [32, dim]
  const Real* turned(std::int64_t tile) const { return turned_.data() + tile * tile_keys * dim_; }  // [dim, 32]

 private:
  std::int64_t dim_;
  std::vector<Real> rows_, turned_;
};

}  // namespace ringscope
