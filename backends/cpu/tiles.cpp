#include "backends/cpu/tiles.h"

#include <algorithm>

namespace ringscope::cpu {

std::vector<Tile> cut_tiles(std::span<const std::int64_t> block_rows, std::int64_t tile) {
  std::vector<Tile> out;
  std::int64_t first = 0;
  for (std::size_t block = 0; block < block_rows.size(); ++block) {
    for (std::int64_t begin = 0; begin < block_rows[block]; begin += tile) {
      out.push_back({block, begin, std::min(tile, block_rows[block] - begin), first + begin});
    }
    first += block_rows[block];
  }
  return out;
}

std::int64_t largest_size(std::span<const Tile> tiles) {
  std::int64_t size = 0;
  for (const Tile& t : tiles) size = std::max(size, t.size);
  return size;
}

TileCover::TileCover(const AttendView& view, std::int64_t batch, std::span<const Tile> query_tiles,
                     std::span<const Tile> key_tiles)
    : key_tiles_(key_tiles.size()) {
  cover_.reserve(query_tiles.size() * key_tiles.size());
  std::vector<std::int64_t> pairs(key_tiles.size());
  for (const Tile& queries : query_tiles) {
    std::fill(pairs.begin(), pairs.end(), 0);
    for (std::int64_t row = queries.first; row < queries.first + queries.size; ++row) {
      std::size_t t = 0;  // spans ascend, so do the tiles they meet
      for (const LocalSpan& span : view.spans(batch, row)) {
        while (t < key_tiles.size() && key_tiles[t].first + key_tiles[t].size <= span.begin) ++t;
        for (std::size_t u = t; u < key_tiles.size() && key_tiles[u].first < span.end; ++u) {
          const std::int64_t begin = std::max<std::int64_t>(span.begin, key_tiles[u].first);
          pairs[u] += std::min<std::int64_t>(span.end, key_tiles[u].first + key_tiles[u].size) - begin;
        }
      }
    }
    for (std::size_t t = 0; t < key_tiles.size(); ++t) {
      const bool all = pairs[t] == queries.size * key_tiles[t].size;
      cover_.push_back(pairs[t] == 0 ? Cover::empty : all ? Cover::full : Cover::partial);
    }
  }
}

}  // namespace ringscope::cpu
