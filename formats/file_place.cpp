#include "formats/file_place.h"

#include "core/error.h"
#include "formats/utf8.h"

namespace ringscope {

FilePlace::FilePlace(std::string_view path, std::string_view place) : path_(path), place_(place) {}

FilePlace FilePlace::at(std::string_view place) const {
  return FilePlace(path_, place);
}

void FilePlace::refuse(std::string_view got, std::string_view want, std::string_view fix) const {
  constexpr std::size_t longest_path = 4096;
  std::string what = printable(path_, longest_path);
  if (!place_.empty()) what += ", " + place_;
  throw Error(ErrorKind::bad_file, (what + ": ").append(got), std::string(want), std::string(fix));
}

}  // namespace ringscope
