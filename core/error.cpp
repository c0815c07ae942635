#include "core/error.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace ringscope {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_request:
    case ErrorKind::bad_file:
      return 2;
    case ErrorKind::unprovable:
    case ErrorKind::broken_kernel:
      return 1;
    case ErrorKind::unsupported:
      return 3;
    case ErrorKind::fault:
      return 4;
  }
  return 2;
}

Error::Error(ErrorKind kind_, std::string got_, std::string want_, std::string fix_)
    : kind(kind_), got(std::move(got_)), want(std::move(want_)), fix(std::move(fix_)) {
  if (!got.empty()) sentence_ = "got " + got;
  if (!want.empty()) sentence_ += (sentence_.empty() ? "want " : "; want ") + want;
  if (!fix.empty()) sentence_ += (sentence_.empty() ? "" : "; ") + fix;
}

void ensure(bool holds, std::string_view sentence, std::source_location where) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u: invariant broken in %s: %.*s\n", where.file_name(), where.line(), where.function_name(),
               static_cast<int>(sentence.size()), sentence.data());
  std::abort();
}

}  // namespace ringscope
