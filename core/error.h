// Errors a person can act on, and invariants that hold in release builds too.
#pragma once
#include <exception>
#include <source_location>
#include <string>
#include <string_view>

namespace ringscope {

enum class ErrorKind {
  bad_request,    // a word, flag or combination that cannot be
  bad_file,       // a file that cannot be read as what it should be
  unprovable,     // a plan that schedule_check refuses
  unsupported,    // known, but not in this build or on this machine
  broken_kernel,  // a plug-in crashed, wrote where it must not, gave NaN or said that it failed
  fault,          // the world failed: a dead rank, a lost message, a deadline
};

// 2 for a bad request or file, 1 for an unprovable plan or a broken kernel, 3 for what is unsupported, 4 for a fault.
int exit_code(ErrorKind kind);

// Says what was got, what was wanted and how to fix it. Any of the three may be empty.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string got, std::string want, std::string fix = {});
  const char* what() const noexcept override { return sentence_.c_str(); }

  ErrorKind kind;
  std::string got, want, fix;

 private:
  std::string sentence_;
};

// Aborts with the place and the sentence when `holds` is false: for mistakes of ours, never of the user.
void ensure(bool holds, std::string_view sentence, std::source_location where = std::source_location::current());

}  // namespace ringscope
