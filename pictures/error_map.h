// Where an output differs from the oracle: head by row, each cell the largest error in it over what is allowed.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

struct ErrorMap {
  std::string name;  // "o", "dq", ...
  std::int64_t heads = 0, rows = 0;
  std::vector<double> ratios;  // [heads * rows] of error to what is allowed; above 1 and not finite are wrong
};

// Neighbouring rows together, at most `most` columns: each the largest ratio of its rows, NaN if any is.
ErrorMap pooled(const ErrorMap& map, std::int64_t most);

Picture draw(const std::vector<ErrorMap>& maps);
Sheet write(const std::vector<ErrorMap>& maps);

}  // namespace ringscope
