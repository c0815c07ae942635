#include "core/text_file.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace ringscope {

std::string read_text_file(const std::string& path) {
  constexpr std::uintmax_t longest_bytes = 64 << 20;
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status)) throw Error(ErrorKind::bad_file, path, "a file that exists", "check the path");
  if (!std::filesystem::is_regular_file(status)) {
    throw Error(ErrorKind::bad_file, path + ", which is a directory or a device", "a regular file", "check the path");
  }
  const std::uintmax_t bytes = std::filesystem::file_size(path, problem);
  if (problem || bytes > longest_bytes) {
    throw Error(ErrorKind::bad_file, path + " of " + std::to_string(bytes) + " bytes", "a text of at most 64 MiB");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ErrorKind::bad_file, path, "a file that can be read", "check its permissions");
  std::string text(std::istreambuf_iterator<char>(in), {});
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

}  // namespace ringscope
