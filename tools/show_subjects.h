// The subjects of `ringscope show`: each makes a section of pictures and sheets, and the same as JSON, of one case.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/case.h"
#include "pictures/html.h"

namespace ringscope {

struct ShowRequest {
  Case c;
  std::optional<int> step;
  std::optional<int> batch;                                   // absent: all items together
  std::optional<int> head;                                    // query head; absent: 0
  std::optional<std::pair<std::int64_t, std::int64_t>> pair;  // query, key
};

struct Shown {
  std::vector<Section> sections;
  std::function<nlohmann::ordered_json()> json;  // without the case; made when asked for, since it can be large
};

struct ShowSubject {
  std::string_view name, sentence, example;  // the example is what follows `ringscope show `
  bool takes_step = false, takes_batch = false, takes_head = false, takes_pair = false;
  bool in_page = true;        // part of `show all`
  bool step_by_step = false;  // there once for each of the first steps
  Shown (*make)(const ShowRequest&) = nullptr;
};
std::span<const ShowSubject> show_subjects();

// Every subject but those that ask for more than the case.
Shown show_all(const ShowRequest& request);

}  // namespace ringscope
