#include "tests/fuzz/seed_files.h"

#include <fstream>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace ringscope {

void write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::vector<std::string> seeds = fuzz_seeds();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    std::ofstream(folder / ("seed" + std::to_string(i)), std::ios::binary) << seeds[i];
  }
}

}  // namespace ringscope
