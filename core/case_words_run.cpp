// The backend and data fields: who computes, with which numbers, and what is broken on purpose.
#include <algorithm>

#include "core/case_words.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

// cpu, cpu:naive, cpu:plugin=FILE. Which of them exist is the registry's business.
bool read_backend(std::string_view word, Case& c) {
  const Halves option = split_at(word, '=');
  if (option.behind && (option.behind->empty() || option.before.find(':') == std::string_view::npos)) return false;
  const auto is_name_letter = [](char ch) {
    return (ch >= 'a' && ch <= 'z') || (ch >= '0' && ch <= '9') || ch == '-' || ch == '_' || ch == ':';
  };
  if (!std::all_of(option.before.begin(), option.before.end(), is_name_letter)) return false;
  c.backend.name = std::string(word);
  return true;
}

constexpr std::int64_t most_threads = 4096, largest_tile = 1 << 20, fastest_link_mb = 1'000'000;

WordKind count_word(const char* name, const char* example, const char* sentence, std::int64_t most,
                    int BackendChoice::*field) {
  return {Topic::option,
          name,
          Takes::value,
          example,
          sentence,
          [field, most](std::string_view v, Case& c) {
            const auto value = whole_number(v);
            if (!value || *value < 1 || *value > most) return false;
            c.backend.*field = static_cast<int>(*value);
            return true;
          },
          [field, name](const Case& c) {
            const int value = c.backend.*field;
            return value == 0 ? std::string() : std::string(name) + "=" + std::to_string(value);
          },
          whole_from(1, most)};
}

WordKind fill_word(const FillInfo& info) {
  const std::string name(info.name);
  return {Topic::fill,
          name,
          Takes::nothing,
          name,
          std::string(info.sentence),
          [fill = info.fill](std::string_view, Case& c) {
            c.fill = fill;
            return true;
          },
          [fill = info.fill, name](const Case& c) { return c.fill == fill ? name : std::string(); }};
}

// "r2" or "t1": the letter and a number from 0 on.
bool read_coordinate(std::string_view text, FaultChoice& fault) {
  const auto value = text.empty() ? std::nullopt : whole_number(text.substr(1));
  if (!value || *value < 0 || *value > 1'000'000) return false;
  int* field = text[0] == 'r' ? &fault.rank : text[0] == 't' ? &fault.step : nullptr;
  if (field == nullptr || *field != -1) return false;
  *field = static_cast<int>(*value);
  return true;
}

bool read_fault(std::string_view value, Case& c) {
  const Halves halves = split_at(value, '@');
  c.fault = FaultChoice{std::string(halves.before)};
  if (halves.before.empty()) return false;
  for (auto rest = halves.behind; rest;) {
    const Halves next = split_at(*rest, ',');
    if (!read_coordinate(next.before, c.fault)) return false;
    rest = next.behind;
  }
  return true;
}

std::string print_fault(const Case& c) {
  if (c.fault.name.empty()) return {};
  std::string place;
  if (c.fault.rank >= 0) place += "r" + std::to_string(c.fault.rank);
  if (c.fault.step >= 0) place += (place.empty() ? "t" : ",t") + std::to_string(c.fault.step);
  return "fault=" + c.fault.name + (place.empty() ? "" : "@" + place);
}

}  // namespace

std::vector<WordKind> backend_words() {
  std::vector<WordKind> words;
  words.push_back({Topic::backend, "", Takes::itself, "cpu:naive", "who computes: see `ringscope list backends`",
                   read_backend, [](const Case& c) { return c.backend.name; }});
  words.push_back(count_word("threads", "threads=2", "kernel threads per rank (the backend chooses if not said)",
                             most_threads, &BackendChoice::threads));
  words.push_back(count_word("tile", "tile=32", "rows and keys per tile (the backend chooses if not said)",
                             largest_tile, &BackendChoice::tile));
  words.push_back(count_word("link-mb", "link-mb=50",
                             "megabytes a second from each rank to each other, so that `show timeline` shows what "
                             "computing hides (messages arrive at once if not said)",
                             fastest_link_mb, &BackendChoice::link_mb));
  return words;
}

std::vector<WordKind> data_words() {
  std::vector<WordKind> words;
  for (const FillInfo& info : fills()) words.push_back(fill_word(info));
  words.push_back({Topic::seed, "seed", Takes::value, "seed=7", "what all random numbers of the run depend on",
                   [](std::string_view v, Case& c) {
                     const auto value = seed_number(v);
                     c.seed = value.value_or(0);
                     return value.has_value();
                   },
                   [](const Case& c) { return "seed=" + std::to_string(c.seed); },
                   "a whole number from 0 to 2^64 - 1"});
  words.push_back(
      {Topic::fault, "fault", Takes::value, "fault=drop-block@r2,t1",
       "a planted fault: drop-block@r2,t1 is at rank 2, step 1; without @ the seed picks (see `ringscope list faults`)",
       read_fault, print_fault, "ranks and steps from 0 on"});
  return words;
}

}  // namespace ringscope
