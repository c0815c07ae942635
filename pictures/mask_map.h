// The score matrix in tiles: full, partial or empty, by which rank and in which step each is computed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/pair_count.h"
#include "core/plan.h"
#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

inline constexpr int every_item = -1;

struct MaskMapRequest {
  int head = 0;            // query head; some schedules give heads to different ranks
  int batch = every_item;  // the pairs of one batch item, or of all together
  Pass pass = Pass::forward;
  std::optional<int> step;  // the tiles of other steps are drawn faintly
};

struct MaskTile {
  std::int64_t pairs = 0, all = 0;  // allowed, and without a mask; of one head
  int rank = -1, step = -1;         // who computes it, when; -1: nobody, or several
  Tile kind() const { return pairs == 0 ? Tile::empty : pairs == all ? Tile::full : Tile::partial; }
};

struct MaskMap {
  enum class Order : std::uint8_t { positions, blocks };  // positions: as in the sequence; blocks: as ranks own them
  Order order = Order::positions;
  std::vector<std::string> row_names, column_names;  // "0-31", or "Q3"
  std::vector<int> row_ranks, column_ranks;          // owners; -1: several
  std::vector<MaskTile> tiles;                       // [row * columns + column]
  std::optional<int> step;                           // as requested

  std::int64_t rows() const { return static_cast<std::int64_t>(row_names.size()); }
  std::int64_t columns() const { return static_cast<std::int64_t>(column_names.size()); }
  const MaskTile& tile(std::int64_t row, std::int64_t column) const {
    return tiles[static_cast<std::size_t>(row * columns() + column)];
  }
  std::int64_t pairs() const;
  bool stands_out(const MaskTile& tile) const { return !step || tile.step == *step; }
};

// In the order of positions where that needs at most 64 rows and columns, else by blocks, else several blocks together.
MaskMap make_mask_map(const Plan& plan, const MaskMapRequest& request = {});
std::string total_sentence(const MaskMap& map);  // "2,080 allowed pairs of one head"
Picture draw(const MaskMap& map);
Sheet write(const MaskMap& map);

}  // namespace ringscope
