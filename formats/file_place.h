// Where in a file something is wrong.
#pragma once
#include <string>
#include <string_view>

namespace ringscope {

class FilePlace {
 public:
  explicit FilePlace(std::string_view path, std::string_view place = {});

  // A place inside the same file: `tensor q`, `entry k.npy`.
  FilePlace at(std::string_view place) const;

  // Throws Error(bad_file): "got PATH, PLACE: GOT; want WANT; FIX".
  [[noreturn]] void refuse(std::string_view got, std::string_view want, std::string_view fix = {}) const;

 private:
  std::string path_, place_;
};

}  // namespace ringscope
