// `ringscope completion bash`: a script for the shell, made of the commands themselves.
#include <fmt/format.h>

#include "core/case_words.h"
#include "tools/arguments.h"
#include "tools/commands.h"

namespace ringscope {

namespace {

// What may follow a command: its commands and its flags.
std::string words_after(const Command& command) {
  std::string words;
  for (const Command& next : command.commands()) words += next.name() + " ";
  for (const std::string& flag : command.flags()) words += flag + " ";
  return words;
}

void print_branches(const Command& command, const std::string& path) {
  fmt::print("    '{}') words='{}' ;;\n", path, words_after(command));
  for (const Command& next : command.commands()) {
    print_branches(next, path.empty() ? next.name() : path + " " + next.name());
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
void print_bash(const Command& program) {
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

void add_completion(const Command& program) {
  const Command completion =
      program.add("completion", "prints a completion script for the shell",
                  {"source <(ringscope completion bash)",
                   "ringscope completion bash > ~/.local/share/bash-completion/completions/ringscope"});
  const Command bash = completion.add(
      "bash", "for bash", {"source <(ringscope completion bash)", "ringscope completion bash >> ~/.bash_completion"});
  bash.on_run([program] { print_bash(program); });
}

}  // namespace ringscope
