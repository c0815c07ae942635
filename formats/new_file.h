// Files written whole or not at all: a full disk leaves what stood there before, and no half of the new.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ringscope {

// Written beside its place, then moved there; what is no regular file (a pipe, a device) is written as it goes. Every
// function throws Error(bad_file) with the system's reason and the bytes that were wanted.
class NewFile {
 public:
  NewFile(const std::string& path, std::int64_t bytes);
  ~NewFile();  // removes what was not kept
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view text);
  void keep();  // the last call

 private:
  [[noreturn]] void refuse_by_system() const;

  std::string path_, beside_;  // nothing beside: written in place
  std::int64_t wanted_, written_ = 0;
  int number_ = -1;
};

// All of a file at once.
void write_file(const std::string& path, std::string_view text);

}  // namespace ringscope
