// The files that one name stands for: itself, or the shards NAME.rank0of4.safetensors beside it.
#pragma once
#include <string>
#include <vector>

namespace ringscope {

// Throws Error(bad_file) when there is neither.
std::vector<std::string> files_of_dump(const std::string& path);

}  // namespace ringscope
