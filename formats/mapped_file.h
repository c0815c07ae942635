// A file in memory, read only: pages come from the disk when they are looked at.
#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace ringscope {

// The file must not be cut short by others while it is mapped: the system ends a process that reads a page that is
// gone.
class MappedFile {
 public:
  // Throws Error(bad_file) for what is missing, unreadable, empty or no regular file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace ringscope
