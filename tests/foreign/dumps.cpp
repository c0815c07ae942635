#include "tests/foreign/dumps.h"

#include <fstream>

namespace ringscope {

namespace {

// Not copied: minilm_layer5 is like it, and tests/data stays below 6 MB.
constexpr const char* left_out = "minilm_layer0.safetensors";

DumpWords words_of(const nlohmann::json& declare) {
  DumpWords words;
  const auto take = [&](const char* key, std::optional<std::string>& word) {
    if (declare.contains(key)) word = declare.at(key).get<std::string>();
  };
  take("mask", words.mask), take("axes", words.axes), take("layout", words.layout);
  take("lse_axes", words.lse_axes), take("lse_base", words.lse_base);
  return words;
}

}  // namespace

std::string dump_path(const std::string& file) {
  return std::string(RINGSCOPE_SOURCE_DIR) + "/tests/data/dumps/" + file;
}

std::vector<ExpectedDump> expected_dumps() {
  std::ifstream file(dump_path("expected.json"));
  std::vector<ExpectedDump> out;
  for (const nlohmann::json& entry : nlohmann::json::parse(file)) {
    ExpectedDump dump;
    std::vector<std::string> names;
    if (entry.contains("files")) names = entry.at("files").get<std::vector<std::string>>();
    if (entry.contains("file")) names.push_back(entry.at("file").get<std::string>());
    dump.name = names.at(0);
    if (dump.name == left_out) continue;
    for (const std::string& name : names) dump.paths.push_back(dump_path(name));
    if (entry.contains("declare")) dump.words = words_of(entry.at("declare"));
    dump.expected = entry;
    out.push_back(std::move(dump));
  }
  return out;
}

}  // namespace ringscope
