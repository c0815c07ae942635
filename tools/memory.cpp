#include "tools/memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

// "64G", "500M", "4096".
double said_bytes(const std::string& text) {
  constexpr std::string_view letters = "KMGT";
  const std::size_t unit = text.empty() ? std::string::npos : letters.find(text.back());
  const bool has_unit = unit != std::string::npos;
  const auto number = real_number(has_unit ? text.substr(0, text.size() - 1) : text);
  if (!number || *number <= 0) {
    throw Error(ErrorKind::bad_request, "RINGSCOPE_MEMORY=" + text, "bytes, or a number before K, M, G or T",
                "like RINGSCOPE_MEMORY=64G");
  }
  double bytes = *number;
  for (std::size_t n = 0; has_unit && n <= unit; ++n) bytes *= 1024;
  return bytes;
}

std::optional<double> number_in(const char* path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? std::optional(number) : std::nullopt;  // "max" is no number
}

std::optional<double> available_on_machine() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    double kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

// A container may have less than its machine. Pages of files count as used here, and would be given back.
std::optional<double> left_in_group() {
  const auto most = number_in("/sys/fs/cgroup/memory.max");
  if (!most) return std::nullopt;
  std::ifstream file("/sys/fs/cgroup/memory.stat");
  for (std::string word; file >> word;) {
    double anonymous = 0;
    if (word == "anon" && file >> anonymous) return std::max(1.0, *most - anonymous);
  }
  return most;
}

}  // namespace

double free_memory_bytes() {
  if (const char* said = std::getenv("RINGSCOPE_MEMORY"); said != nullptr && *said != '\0') return said_bytes(said);
  const auto machine = available_on_machine(), group = left_in_group();
  if (!machine) return group.value_or(0);
  return std::min(*machine, group.value_or(*machine));
}

}  // namespace ringscope
