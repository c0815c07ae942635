#include "formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "formats/file_place.h"

namespace ringscope {

namespace {

constexpr std::string_view wanted = "a safetensors or npz file that can be read";

class OpenFile {
 public:
  // Not blocking: a pipe that nobody writes to would never open.
  explicit OpenFile(const std::string& path) : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void refuse_by_system(const FilePlace& place) {
  place.refuse(std::generic_category().message(errno), wanted, "check the path and its permissions");
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const FilePlace place(path);
  const OpenFile file(path);
  struct stat facts = {};
  if (file.number() < 0 || ::fstat(file.number(), &facts) != 0) refuse_by_system(place);
  if (S_ISDIR(facts.st_mode)) place.refuse("a directory", wanted, "name the files inside it");
  if (!S_ISREG(facts.st_mode)) place.refuse("a pipe or device", wanted, "save to a file first");
  if (facts.st_size == 0) place.refuse("an empty file", wanted);
  const auto size = static_cast<std::size_t>(facts.st_size);
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (start == MAP_FAILED) refuse_by_system(place);
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace ringscope
