#include "formats/new_file.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "core/error.h"
#include "core/text_file.h"

namespace ringscope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A disk that is full after so many bytes of a file, as far as this process sees.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

class NewFiles : public testing::Test {
 protected:
  NewFiles() : folder_(std::filesystem::path(testing::TempDir()) / ("new_file." + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~NewFiles() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::int64_t files() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }

 private:
  std::filesystem::path folder_;
};

std::string refused_write(const std::string& path, const std::string& text) {
  try {
    write_file(path, text);
  } catch (const Error& e) {
    return e.what();
  }
  return "written";
}

TEST_F(NewFiles, AFullDiskLeavesTheFormerFileAndNoPartOfTheNew) {
  write_file(path("a"), "before");
  {
    const SmallDisk disk(4096);
    EXPECT_THAT(refused_write(path("a"), std::string(10240, 'x')),
                AllOf(HasSubstr("/a: "), HasSubstr("4 KiB of 10 KiB")));
    EXPECT_THAT(refused_write(path("b"), std::string(10240, 'x')), HasSubstr("/b: "));
  }
  EXPECT_EQ(read_text_file(path("a")), "before");
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFiles, TheSystemsReasonIsSaid) {
  EXPECT_THAT(refused_write("/dev/full", "text"), HasSubstr("No space left on device"));
  EXPECT_THAT(refused_write(path("no/folder"), "text"), HasSubstr("No such file or directory"));
  EXPECT_THAT(refused_write(path("."), "text"), HasSubstr("Is a directory"));
}

TEST_F(NewFiles, WhatIsNotKeptLeavesNothing) {
  { NewFile(path("a"), 4).write("text"); }
  EXPECT_EQ(files(), 0);
}

TEST_F(NewFiles, ALinkStaysALink) {
  write_file(path("a"), "one");
  std::filesystem::create_symlink("a", path("link"));
  write_file(path("link"), "two");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(read_text_file(path("a")), "two");
}

}  // namespace
}  // namespace ringscope
