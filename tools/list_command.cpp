// `ringscope list`: what there is, one sentence each.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backends/registry/registry.h"
#include "core/case_words.h"
#include "core/faults/fault.h"
#include "core/suites.h"
#include "tools/arguments.h"
#include "tools/commands.h"

namespace ringscope {

namespace {

struct Item {
  std::string name, sentence;
};

std::vector<Item> words_of_topic(Field field, Topic topic) {
  std::vector<Item> items;
  for (const WordKind& kind : words_of(field)) {
    if (kind.topic != topic) continue;
    const bool has_value = kind.takes == Takes::value;  // the sentence speaks of the example's numbers
    items.push_back({kind.name, has_value ? kind.example + ": " + kind.sentence : kind.sentence});
  }
  return items;
}

std::vector<Item> backends() {
  std::vector<Item> items;
  for (const BackendInfo& info : backend_sentences()) items.push_back({info.name, info.sentence});
  return items;
}

std::vector<Item> faults() {
  std::vector<Item> items;
  for (const FaultKind& kind : fault_kinds()) items.push_back({std::string(kind.name), std::string(kind.sentence)});
  return items;
}

std::vector<Item> all_suites() {
  std::vector<Item> items;
  for (const SuiteInfo& suite : suites()) items.push_back({std::string(suite.name), std::string(suite.sentence)});
  return items;
}

void print(const std::vector<Item>& items, bool as_json) {
  if (as_json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Item& item : items) json.push_back({{"name", item.name}, {"sentence", item.sentence}});
    fmt::print("{}\n", json.dump());
    return;
  }
  std::size_t widest = 0;
  for (const Item& item : items) widest = std::max(widest, item.name.size());
  for (const Item& item : items) fmt::print("{:<{}}  {}\n", item.name, widest, item.sentence);
}

struct Subject {
  const char *name, *sentence;
  std::vector<Item> (*items)();
};

constexpr Subject subjects[] = {
    {"layouts", "who owns which tokens", [] { return words_of_topic(Field::recipe, Topic::layout); }},
    {"schedules", "who sends what to whom", [] { return words_of_topic(Field::recipe, Topic::schedule); }},
    {"masks", "which keys a query may see", [] { return words_of_topic(Field::problem, Topic::mask); }},
    {"terms", "what happens to scores and weights", [] { return words_of_topic(Field::problem, Topic::term); }},
    {"backends", "who computes", backends},
    {"faults", "mistakes that can be planted", faults},
    {"suites", "sets of cases", all_suites},
};

}  // namespace

void add_list(const Command& program) {
  const Command list = program.add("list", "says what there is, one sentence each",
                                   {"ringscope list schedules", "ringscope list faults --json"});
  for (const Subject& subject : subjects) {
    const Command command = list.add(
        subject.name, subject.sentence,
        {fmt::format("ringscope list {}", subject.name), fmt::format("ringscope list {} --json", subject.name)});
    const auto as_json = std::make_shared<bool>(false);
    command.add_flag("--json", *as_json, "an array of {name, sentence}");
    command.on_run([&subject, as_json] { print(subject.items(), *as_json); });
  }
}

}  // namespace ringscope
