// The whole of a text file that a person names.
#pragma once
#include <string>

namespace ringscope {

// Throws Error(bad_file) for what is no regular file, cannot be read, or is longer than 64 MiB.
std::string read_text_file(const std::string& path);

}  // namespace ringscope
