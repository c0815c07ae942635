// Pages written to disk.
#pragma once
#include <string>

namespace ringscope {

// Throws Error(bad_file) when it cannot be written.
void write_page(const std::string& path, const std::string& page);

}  // namespace ringscope
