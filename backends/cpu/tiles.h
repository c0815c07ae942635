// Rows and keys cut into tiles that cross no block, and how much of each pair of tiles the mask allows.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/attend_view.h"

namespace ringscope::cpu {

struct Tile {
  std::size_t block = 0;
  std::int64_t begin = 0;  // in the block
  std::int64_t size = 0;
  std::int64_t first = 0;  // in the attend's local rows or keys
};

// Tiles of at most `tile` rows.
std::vector<Tile> cut_tiles(std::span<const std::int64_t> block_rows, std::int64_t tile);

// Rows of the largest tile; 0 without tiles.
std::int64_t largest_size(std::span<const Tile> tiles);

enum class Cover : std::uint8_t { empty, partial, full };

// Exact pair counts make the classes; partial tiles alone need mask arithmetic.
class TileCover {
 public:
  TileCover(const AttendView& view, std::int64_t batch, std::span<const Tile> query_tiles,
            std::span<const Tile> key_tiles);

  Cover of(std::size_t query_tile, std::size_t key_tile) const { return cover_[query_tile * key_tiles_ + key_tile]; }
  std::size_t key_tiles() const { return key_tiles_; }

 private:
  std::size_t key_tiles_ = 0;
  std::vector<Cover> cover_;  // [query tiles, key tiles]
};

// Calls visit(begin, end) for the runs of a tile's keys that a row sees, counted from the tile's first key, ascending.
template <class Visit>
void for_each_run(std::span<const LocalSpan> spans, const Tile& keys, const Visit& visit) {
  for (const LocalSpan& span : spans) {
    const std::int64_t begin = span.begin > keys.first ? span.begin - keys.first : 0;
    const std::int64_t end = span.end < keys.first + keys.size ? span.end - keys.first : keys.size;
    if (begin < end) visit(begin, end);
  }
}

}  // namespace ringscope::cpu
