// The whole of a text file that a person names.
#pragma once
#include <string>

#include "core/error.h"

namespace ringscope {

// Without the byte order mark that some editors put before UTF-8. Throws Error(bad_file) for what is no regular file,
// cannot be read, or is longer than 64 MiB.
std::string read_text_file(const std::string& path);

// What `read` throws is said to be in the file.
template <class Read>
auto in_file(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.kind, path + ": " + error.got, error.want, error.fix);
  }
}

}  // namespace ringscope
