#include "tools/page_file.h"

#include <fstream>

#include "core/error.h"

namespace ringscope {

void write_page(const std::string& path, const std::string& page) {
  std::ofstream out(path, std::ios::binary);
  out << page;
  out.close();
  if (!out) throw Error(ErrorKind::bad_file, path + " that cannot be written", "a file in a folder that exists");
}

}  // namespace ringscope
