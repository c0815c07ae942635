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
  std::vector<double> errors;  // [heads * rows], >= 0; NaN where the output is not finite and should be, or the reverse
  double allowed = 0;          // an error above it is wrong; 0: any error is
};

// Neighbouring rows together, at most `most` columns: each the largest error of its rows, NaN if any is.
ErrorMap pooled(const ErrorMap& map, std::int64_t most);

Picture draw(const std::vector<ErrorMap>& maps);
Sheet write(const std::vector<ErrorMap>& maps);

}  // namespace ringscope
