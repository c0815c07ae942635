// A table: a column of names, then columns of figures; what does not fit is left out in the middle.
#pragma once
#include <string>
#include <vector>

#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

struct Grid {
  std::string title;
  std::vector<std::string> header;             // [columns]
  std::vector<std::vector<std::string>> rows;  // [row][columns]; the first column names the row
};

Sheet write(const Grid& grid);
// Several, beneath one another.
Picture draw(const std::vector<Grid>& grids, std::string title, std::string summary);

}  // namespace ringscope
