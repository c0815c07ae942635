// The dumps of tests/data/dumps and what expected.json says of them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/dump.h"

namespace ringscope {

struct ExpectedDump {
  std::string name;  // of the first file
  std::vector<std::string> paths;
  DumpWords words;  // what has to be declared by hand
  nlohmann::json expected;
};
std::vector<ExpectedDump> expected_dumps();
std::string dump_path(const std::string& file);

}  // namespace ringscope
