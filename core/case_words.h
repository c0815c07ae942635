// The words of the case line, one entry each: for reading, printing, listing and explaining.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/case.h"

namespace ringscope {

enum class Field : std::uint8_t { problem, recipe, backend, data };
inline constexpr int case_fields = 4;
std::string_view name_of(Field field);

enum class Topic : std::uint8_t {
  shape,
  type,
  mask,
  term,
  direction,
  layout,
  schedule,
  ranks,
  option,
  backend,
  fill,
  seed,
  fault
};
std::string_view name_of(Topic topic);
// Does a case have at most one word of this topic?
bool is_single(Topic topic);

enum class Takes : std::uint8_t {
  nothing,         // causal
  number_behind,   // b1
  value,           // window=64,0
  optional_value,  // striped, striped=16
  itself           // the whole word is the value: a backend's name
};

struct WordKind {
  Topic topic = Topic::shape;
  std::string name;  // what stands before the value; empty for Takes::itself
  Takes takes = Takes::nothing;
  std::string example;                                        // the whole word, as people are shown it
  std::string sentence;                                       // what it means
  std::function<bool(std::string_view value, Case& c)> read;  // false: the value is not of the example's form
  std::function<std::string(const Case& c)> print;            // the word where a canonical line has it, else nothing
  std::string numbers = {};                                   // which are allowed, where the word has any
};

// In the order of the canonical line.
std::span<const WordKind> words_of(Field field);
// Direction of cases that do not say: forward for schedules that have no backward.
Direction default_direction(const Recipe& recipe);

// "whole numbers from 1 to 4096"
std::string whole_from(std::int64_t least, std::int64_t most);

// What the four tables are made of.
std::vector<WordKind> problem_words();
std::vector<WordKind> recipe_words();
std::vector<WordKind> backend_words();
std::vector<WordKind> data_words();

}  // namespace ringscope
