#include "tools/arguments.h"

#include <algorithm>

#include "core/error.h"
#include "core/numbers.h"
#include "core/schedule_text.h"
#include "core/text_file.h"

namespace ringscope {

namespace {

[[noreturn]] void refuse(std::string got, std::string want, std::string fix = {}) {
  throw Error(ErrorKind::bad_request, std::move(got), std::move(want), std::move(fix));
}

constexpr const char* how_to_quote =
    "quote the case: \"b1 h4 s64 causal | zigzag ring r4\"; without quotes the shell takes | and the spaces";

}  // namespace

void refuse_unquoted(const std::string& word) {
  refuse("`" + word + "` as an argument of its own", "one quoted case", how_to_quote);
}

void require_quoted(const std::vector<std::string>& words) {
  if (words.size() < 2) return;
  const auto is_single = [](const std::string& w) { return w.find_first_of(" |") == std::string::npos; };
  const auto word = std::find_if(words.begin(), words.end(), is_single);
  if (word == words.end()) return;
  refuse("`" + *word + "` as a case beside others", "each case in one pair of quotes", how_to_quote);
}

std::int64_t count_argument(const std::string& flag, const std::string& text, std::int64_t low, std::int64_t high) {
  const auto value = whole_number(text);
  if (value && low <= *value && *value <= high) return *value;
  refuse(flag + " " + text, "a whole number from " + std::to_string(low) + " to " + std::to_string(high),
         "like " + flag + " " + std::to_string(std::clamp<std::int64_t>(2, low, high)));
}

Plan read_plan(const std::string& path) {
  const std::string text = read_text_file(path);
  return in_file(path, [&] { return parse_schedule_text(text); });
}

}  // namespace ringscope
