#pragma once
#include <filesystem>

namespace ringscope {

// Writes the target's seeds into the folder, which is made if it is not there.
void write_seeds(const std::filesystem::path& folder);

}  // namespace ringscope
