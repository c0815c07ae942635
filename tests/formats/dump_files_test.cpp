// Every file of tests/data/dumps holds the tensors that expected.json says it holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/tensor_file.h"

namespace ringscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path dumps = fs::path(RINGSCOPE_SOURCE_DIR) / "tests/data/dumps";

std::vector<TensorFile> open_all(const json& entry) {
  const json names = entry.contains("files") ? entry["files"] : json::array({entry["file"]});
  std::vector<TensorFile> files;
  for (const std::string name : names) {
    if (fs::exists(dumps / name)) files.push_back(TensorFile::read(dumps / name));
  }
  return files;
}

struct Expected {
  std::size_t dimensions;
  std::int64_t elements;  // over all files of the set
};

Expected expected_of(const json& problem, const std::string& name) {
  const std::int64_t heads_q = problem["heads_q"], heads_kv = problem["heads_kv"], batch = problem["batch"];
  if (name == "alibi" || name == "sinks") return {1, heads_q};
  if (name == "lse") return {3, batch * heads_q * problem["len_q"].get<std::int64_t>()};
  const bool of_q = name == "q" || name == "o" || name == "do" || name == "dq";
  const bool like_v = name == "v" || name == "o" || name == "do" || name == "dv";
  const std::int64_t rows = problem[of_q ? "len_q" : "len_kv"], dim = problem[like_v ? "dim_v" : "dim_qk"];
  return {4, batch * (of_q ? heads_q : heads_kv) * rows * dim};
}

TEST(DumpFiles, HoldWhatTheListSays) {
  std::ifstream list(dumps / "expected.json");
  int files_seen = 0;
  for (const json& entry : json::parse(list)) {
    const std::vector<TensorFile> files = open_all(entry);
    files_seen += static_cast<int>(files.size());
    if (files.empty()) continue;
    SCOPED_TRACE(files.front().path());
    for (const std::string name : entry["problem"]["has"]) {
      const bool is_f32 = name == "lse" || name == "alibi" || name == "sinks";
      const std::string type = is_f32 ? "f32" : entry["problem"]["type"].get<std::string>();
      const Expected expected = expected_of(entry["problem"], name);
      std::int64_t elements = 0;
      for (const TensorFile& file : files) {
        const FileTensor& tensor = file.require(name);
        EXPECT_EQ(name_of(tensor.type), type) << name;
        EXPECT_EQ(tensor.shape.size(), expected.dimensions) << name;
        elements += tensor.size();
      }
      EXPECT_EQ(elements, expected.elements) << name;
    }
    for (const auto& [key, value] : files.front().metadata()) {
      if (key == "source") {
        EXPECT_EQ(value, entry["source"]);
      } else if (key == "mask") {
        EXPECT_EQ(value, entry["problem"]["mask"]);
      }
    }
  }
  EXPECT_GE(files_seen, 70);
}

}  // namespace
}  // namespace ringscope
