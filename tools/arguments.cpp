#include "tools/arguments.h"

#include <algorithm>

#include "core/error.h"
#include "core/nearest.h"
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

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> names_of(const CLI::App& parent) {
  std::vector<std::string> names;
  for (const CLI::App* command : parent.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

[[noreturn]] void refuse_word(const std::string& word, const std::vector<std::string>& right) {
  const std::vector<std::string_view> allowed(right.begin(), right.end());
  refuse("`" + word + "`", any_of(allowed), nearest_sentence(word, allowed));
}

void refuse_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  const std::string& first = extras.front();
  const std::vector<std::string> names = names_of(command);
  if (first.starts_with("-")) refuse_word(std::string(split_at(first, '=').before), flags_of(command));
  if (!names.empty()) refuse_word(first, names);
  refuse("`" + first + "` as an argument of its own", "one quoted case", how_to_quote);
}

// `ringscope` alone prints its help; `ringscope list` alone means nothing.
void refuse_lack_of_subject(const CLI::App& command) {
  const std::vector<std::string> names = names_of(command);
  if (names.empty() || command.get_parent() == nullptr || !command.get_subcommands().empty()) return;
  refuse("`" + command.get_name() + "` alone", any_of(std::vector<std::string_view>(names.begin(), names.end())),
         "see `ringscope " + command.get_name() + " --help`");
}

}  // namespace

CLI::App& add_command(CLI::App& parent, const std::string& name, const std::string& sentence,
                      const std::vector<std::string>& examples) {
  CLI::App* command = parent.add_subcommand(name, sentence);
  std::string footer = "Examples:";
  for (const std::string& example : examples) footer += "\n  " + example;
  command->footer(footer);
  return *command;
}

void refuse_unknown_arguments(CLI::App& program) {
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) refuse_unknown_arguments(*command);
  program.allow_extras();
  program.require_subcommand(0);  // CLI11 would speak before the nearest word is told
  program.parse_complete_callback([&program] {
    refuse_extras(program);
    refuse_lack_of_subject(program);
  });
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
  try {
    return parse_schedule_text(text);
  } catch (const Error& error) {
    throw Error(error.kind, path + ": " + error.got, error.want, error.fix);
  }
}

}  // namespace ringscope
