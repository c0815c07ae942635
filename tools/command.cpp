#include "tools/command.h"

#include <CLI/CLI.hpp>

#include "core/error.h"
#include "core/nearest.h"
#include "core/numbers.h"
#include "tools/arguments.h"

namespace ringscope {

namespace {

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name());
  return names;
}

[[noreturn]] void refuse_word(const std::string& word, const std::vector<std::string>& right) {
  const std::vector<std::string_view> allowed(right.begin(), right.end());
  throw Error(ErrorKind::bad_request, "`" + word + "`", any_of(allowed), nearest_sentence(word, allowed));
}

void refuse_extras(const CLI::App& app, const Command& command) {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  const std::string& first = extras.front();
  const std::vector<Command> below = command.commands();
  if (first.starts_with("-")) refuse_word(std::string(split_at(first, '=').before), command.flags());
  if (!below.empty()) refuse_word(first, names_of(below));
  refuse_unquoted(first);
}

// `ringscope` alone prints its help; `ringscope list` alone means nothing.
void refuse_lack_of_subject(const CLI::App& app, const Command& command) {
  const std::vector<std::string> names = names_of(command.commands());
  if (names.empty() || app.get_parent() == nullptr || !app.get_subcommands().empty()) return;
  throw Error(ErrorKind::bad_request, "`" + app.get_name() + "` alone",
              any_of(std::vector<std::string_view>(names.begin(), names.end())),
              "see `ringscope " + app.get_name() + " --help`");
}

// `--mask ""` says nothing, and would be taken as if it had not been said.
void refuse_empty(CLI::Option* option, const std::string& name) {
  if (!name.starts_with("-")) return;
  option->each([name](const std::string& text) {
    if (text.empty()) throw Error(ErrorKind::bad_request, name + " with an empty value", "a value, or no " + name);
  });
}

}  // namespace

Command Command::add(const std::string& name, const std::string& sentence,
                     const std::vector<std::string>& examples) const {
  CLI::App* below = app_->add_subcommand(name, sentence);
  std::string footer = "Examples:";
  for (const std::string& example : examples) footer += "\n  " + example;
  below->footer(footer);
  return Command(*below);
}

void Command::add_value(const std::string& name, std::string& value, const std::string& sentence,
                        const std::string& type) const {
  refuse_empty(app_->add_option(name, value, sentence)->type_name(type), name);
}

void Command::add_value(const std::string& name, std::optional<std::string>& value, const std::string& sentence,
                        const std::string& type) const {
  refuse_empty(app_->add_option(name, value, sentence)->type_name(type), name);
}

void Command::add_needed_value(const std::string& name, std::string& value, const std::string& sentence) const {
  app_->add_option(name, value, sentence)->type_name("")->required();
}

void Command::add_values(const std::string& name, std::vector<std::string>& values, const std::string& sentence) const {
  refuse_empty(app_->add_option(name, values, sentence)->type_name(""), name);
}

void Command::add_needed_values(const std::string& name, std::vector<std::string>& values,
                                const std::string& sentence) const {
  app_->add_option(name, values, sentence)->type_name("")->required();
}

void Command::add_flag(const std::string& name, bool& flag, const std::string& sentence) const {
  app_->add_flag(name, flag, sentence);
}

void Command::on_run(std::function<void()> action) const {
  app_->callback(std::move(action));
}

std::string Command::name() const {
  return app_->get_name();
}

std::vector<Command> Command::commands() const {
  std::vector<Command> out;
  for (CLI::App* below : app_->get_subcommands([](CLI::App*) { return true; })) out.emplace_back(*below);
  return out;
}

std::vector<std::string> Command::flags() const {
  std::vector<std::string> out;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

void Command::refuse_unknown_arguments() const {
  for (const Command& below : commands()) below.refuse_unknown_arguments();
  app_->allow_extras();
  app_->require_subcommand(0);  // CLI11 would speak before the nearest word is told
  app_->parse_complete_callback([command = *this] {
    refuse_extras(*command.app_, command);
    refuse_lack_of_subject(*command.app_, command);
  });
}

}  // namespace ringscope
