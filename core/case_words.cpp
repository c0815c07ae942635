#include "core/case_words.h"

#include <array>

namespace ringscope {

std::string_view name_of(Field field) {
  static constexpr std::array<std::string_view, case_fields> names{"problem", "recipe", "backend", "data"};
  return names[static_cast<std::size_t>(field)];
}

std::string_view name_of(Topic topic) {
  static constexpr std::array<std::string_view, 13> names{
      "shape",           "type",   "mask",    "score term", "direction", "layout", "schedule",
      "number of ranks", "option", "backend", "fill",       "seed",      "fault"};
  return names[static_cast<std::size_t>(topic)];
}

bool is_single(Topic topic) {
  return topic != Topic::shape && topic != Topic::mask && topic != Topic::term && topic != Topic::option;
}

std::string whole_from(std::int64_t least, std::int64_t most) {
  return "whole numbers from " + std::to_string(least) + " to " + std::to_string(most);
}

std::span<const WordKind> words_of(Field field) {
  static const std::array<std::vector<WordKind>, case_fields> words{problem_words(), recipe_words(), backend_words(),
                                                                    data_words()};
  return words[static_cast<std::size_t>(field)];
}

}  // namespace ringscope
