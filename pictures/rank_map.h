// Where among ranks something is wrong: rank by step, or rank by the KV rank whose keys it took in.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

struct RankCell {
  double ratio = -1;  // of error to what is allowed; above 1 and not finite are wrong, below 0: nothing is there
  std::string label;  // drawn in the cell where it fits; may be empty
  std::string words;  // what the cell says; if empty, how its ratio stands to what is allowed
};

struct RankMap {
  std::string name;                // "dq"
  std::string columns_are;         // "step", "KV rank"
  std::vector<std::string> ranks;  // what stands before each row: "rank 0"
  std::int64_t columns = 0;
  std::vector<RankCell> cells;       // [ranks * columns]
  std::vector<std::string> remarks;  // [ranks], behind each row; or none
};

// The first wrong cell by column, then rank, in words.
std::string sentence_of(const RankMap& map);

Picture draw(const std::vector<RankMap>& maps, std::string title, std::string summary);
Sheet write(const std::vector<RankMap>& maps);

}  // namespace ringscope
