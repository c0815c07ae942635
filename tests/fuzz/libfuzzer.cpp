// The driver for libFuzzer: PROGRAM [-max_total_time=S ...] CORPUS... writes the target's seeds into the first corpus;
// PROGRAM FILE runs one input.
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/seed_files.h"

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  for (int i = 1; i < *count; ++i) {
    const std::string_view word = (*words)[i];
    if (word.starts_with('-') || std::filesystem::is_regular_file(word)) continue;
    ringscope::write_seeds(word);
    break;
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  ringscope::fuzz_one({reinterpret_cast<const std::byte*>(bytes), size});
  return 0;
}
