// The driver where there is no libFuzzer: PROGRAM [-runs=N] [-max_total_time=SECONDS] [-seed=K] [CORPUS...] damages the
// seeds and the files of the corpora, always in the same way for the same seed; PROGRAM FILE runs one input. The input
// under way lies in the first corpus as `last-input`: after a crash it is what crashed.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/numbers.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/seed_files.h"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

struct LoopOptions {
  std::uint64_t runs = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_total_seconds = 60;
  std::uint64_t seed = 1;
  std::vector<fs::path> paths;  // corpora, or files to run once
};

bool take_number(std::string_view word, std::string_view flag, std::uint64_t& number) {
  if (!word.starts_with(flag)) return false;
  const std::optional<std::uint64_t> read = seed_number(word.substr(flag.size()));
  if (read) number = *read;
  return read.has_value();
}

std::optional<LoopOptions> read_options(std::span<char* const> words) {
  LoopOptions options;
  for (const std::string_view word : words) {
    if (!word.starts_with('-')) {
      options.paths.emplace_back(word);
    } else if (!take_number(word, "-runs=", options.runs) && !take_number(word, "-seed=", options.seed) &&
               !take_number(word, "-max_total_time=", options.max_total_seconds)) {
      return std::nullopt;
    }
  }
  if (options.paths.empty()) return std::nullopt;
  return options;
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(const std::string& input) {
  fuzz_one(std::as_bytes(std::span(input)));
}

std::vector<std::string> read_corpora(const std::vector<fs::path>& folders) {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders) {
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.is_regular_file()) files.push_back(file.path());
    }
  }
  std::sort(files.begin(), files.end());  // the system's order differs from machine to machine
  std::vector<std::string> inputs;
  for (const fs::path& file : files) inputs.push_back(contents(file));
  return inputs;
}

void loop(const LoopOptions& options) {
  constexpr std::size_t longest = 1 << 16;
  using Clock = std::chrono::steady_clock;
  const fs::path last_input = options.paths.front() / "last-input";
  fs::remove(last_input);
  const std::vector<std::string> corpus = read_corpora(options.paths);
  for (const std::string& input : corpus) run(input);

  const Clock::time_point end = Clock::now() + std::chrono::seconds(options.max_total_seconds);
  std::mt19937_64 draw(options.seed);
  std::uint64_t done = 0;
  for (; done < options.runs && Clock::now() < end; ++done) {
    const std::string input = mutated(corpus[draw() % corpus.size()], corpus, longest, draw);
    std::ofstream(last_input, std::ios::binary) << input;
    run(input);
  }
  fs::remove(last_input);
  std::printf("%llu runs from %zu inputs, seed %llu: no crash\n", static_cast<unsigned long long>(done), corpus.size(),
              static_cast<unsigned long long>(options.seed));
}

int drive(std::span<char* const> words) {
  const std::optional<LoopOptions> options = read_options(words);
  if (!options) {
    std::fputs("got other words; want [-runs=N] [-max_total_time=SECONDS] [-seed=K] CORPUS... or FILE\n", stderr);
    return 2;
  }
  if (fs::is_regular_file(options->paths.front())) {
    for (const fs::path& file : options->paths) run(contents(file));
    return 0;
  }
  write_seeds(options->paths.front());
  loop(*options);
  return 0;
}

}  // namespace
}  // namespace ringscope

int main(int count, char** words) {
  return ringscope::drive({words + 1, words + count});
}
