// `ringscope completion bash`: a script for the shell, made of the commands themselves.
#include <fmt/format.h>

#include "core/case_words.h"
#include "tools/arguments.h"
#include "tools/commands.h"

namespace ringscope {

namespace {

const auto every_command = [](const CLI::App*) { return true; };

// What may follow a command: its commands and its flags.
std::string words_after(const CLI::App& command) {
  std::string words;
  for (const CLI::App* next : command.get_subcommands(every_command)) words += next->get_name() + " ";
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  }
  return words;
}

void print_branches(const CLI::App& command, const std::string& path) {
  fmt::print("    '{}') words='{}' ;;\n", path, words_after(command));
  for (const CLI::App* next : command.get_subcommands(every_command)) {
    print_branches(*next, path.empty() ? next->get_name() : path + " " + next->get_name());
  }
}

std::string case_words() {
  std::string words;
  for (int field = 0; field < case_fields; ++field) {
    for (const WordKind& kind : words_of(static_cast<Field>(field))) words += kind.example + " ";
  }
  return words;
}

// Inside an open quote the words of a case are offered, outside commands and flags.
void print_bash(const CLI::App& program) {
  fmt::print(
      "# bash completion for ringscope; load it with: source <(ringscope completion bash)\n"
      "_ringscope() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} path='' words='' word\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    [[ $word == -* || $word == *' '* ]] || path+=\"${{path:+ }}$word\"\n"
      "  done\n"
      "  if [[ $current == [\\\"\\']* ]]; then\n"
      "    local quote=${{current:0:1}} begun=${{current% *}} last=${{current##* }}\n"
      "    [[ $current == *' '* ]] && begun+=' ' || {{ begun=$quote last=${{current:1}}; }}\n"
      "    COMPREPLY=($(compgen -P \"${{begun:1}}\" -W '{}' -- \"$last\"))\n"
      "    compopt -o nospace\n"
      "    return\n"
      "  fi\n"
      "  case $path in\n",
      case_words());
  print_branches(program, "");
  fmt::print(
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  [[ ${{#COMPREPLY[@]}} -gt 0 ]] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "}}\n"
      "complete -F _ringscope ringscope\n");
}

}  // namespace

void add_completion(CLI::App& program) {
  CLI::App& completion =
      add_command(program, "completion", "prints a completion script for the shell",
                  {"source <(ringscope completion bash)",
                   "ringscope completion bash > ~/.local/share/bash-completion/completions/ringscope"});
  CLI::App& bash =
      add_command(completion, "bash", "for bash",
                  {"source <(ringscope completion bash)", "ringscope completion bash >> ~/.bash_completion"});
  bash.callback([&program] { print_bash(program); });
}

}  // namespace ringscope
