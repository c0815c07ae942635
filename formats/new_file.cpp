#include "formats/new_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "core/numbers.h"
#include "formats/file_place.h"

namespace ringscope {

namespace {

// A link stays a link: what it leads to is replaced.
std::string end_of_links(const std::string& path) {
  std::error_code problem;
  const auto end = std::filesystem::canonical(path, problem);
  return problem ? path : end.string();
}

bool is_replaceable(const std::string& path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

}  // namespace

NewFile::NewFile(const std::string& path, std::int64_t bytes) : path_(end_of_links(path)), wanted_(bytes) {
  if (!is_replaceable(path_)) {
    number_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    beside_ = path_ + "." + std::to_string(::getpid()) + ".part";
    number_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  }
  if (number_ < 0) refuse_by_system();
}

NewFile::~NewFile() {
  if (number_ >= 0) ::close(number_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void NewFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(number_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse_by_system();
    text.remove_prefix(static_cast<std::size_t>(n));
    written_ += n;
  }
}

void NewFile::keep() {
  const int number = number_;
  number_ = -1;
  if (::close(number) != 0) refuse_by_system();  // some file systems say only now that they are full
  if (beside_.empty()) return;
  if (std::rename(beside_.c_str(), path_.c_str()) != 0) refuse_by_system();
  beside_.clear();
}

void NewFile::refuse_by_system() const {
  const std::string reason = std::generic_category().message(errno);
  FilePlace(path_).refuse(reason + " after " + bytes_in_words(written_) + " of " + bytes_in_words(wanted_),
                          "a folder that exists, with room and permission to write");
}

void write_file(const std::string& path, std::string_view text) {
  NewFile file(path, static_cast<std::int64_t>(text.size()));
  file.write(text);
  file.keep();
}

}  // namespace ringscope
