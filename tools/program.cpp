#include "tools/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <system_error>

#include "core/error.h"
#include "tools/commands.h"
#include "tools/show.h"
#include "tools/terminal.h"
#include "tools/version.h"

namespace ringscope {

namespace {

// CLI11 speaks of TEXT and such; people are told what they typed and where help is.
std::string what_was_got(const CLI::ParseError& error) {
  const std::string sentence = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string flag = "`" + sentence.substr(0, sentence.find(':')) + "`";
    const bool is_too_much = sentence.find("At Most") != std::string::npos;
    return flag + (is_too_much ? " twice, or with more than one value" : " without its value");
  }
  const std::size_t required = sentence.find(" is required");
  if (required != std::string::npos) return "no " + sentence.substr(0, required);
  return sentence;
}

Error as_error(const CLI::App& program, const CLI::ParseError& error) {
  std::string help = "ringscope";
  for (const CLI::App* c = &program; !c->get_subcommands().empty();) {
    c = c->get_subcommands().front();
    help += " " + c->get_name();
  }
  return {ErrorKind::bad_request, what_was_got(error), {}, "see `" + help + " --help`"};
}

Error unwritten_output() {
  return {ErrorKind::bad_file, "standard output that cannot be written", "room for the output"};
}

// A full disk must not look like success.
void require_written_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw unwritten_output();
}

constexpr std::size_t longest_sentence = 4000;

int refuse(const Error& error) {
  std::fflush(stdout);
  const std::string sentence = printable(std::string_view(error.what()).substr(0, longest_sentence));
  std::fprintf(stderr, "%s %s\n", inked("ringscope:", Emphasis::bad, stderr).c_str(), sentence.c_str());
  return exit_code(error.kind);
}

int run(CLI::App& program, std::vector<std::string> arguments, const ExitCode& exit) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    program.parse(std::move(arguments));
  } catch (const CLI::Success& done) {  // --help, --version
    return program.exit(done);
  } catch (const CLI::ParseError& error) {
    throw as_error(program, error);
  }
  if (program.get_subcommands().empty()) std::fputs(program.help().c_str(), stdout);
  return exit.value;
}

}  // namespace

int run_program(std::vector<std::string> arguments) {
  CLI::App program("Plans, proves, runs and checks exact attention spread over devices.", "ringscope");
  program.set_version_flag("--version", "ringscope " + std::string(version));
  program.footer(
      "A run is one line: \"problem | recipe | backend | data\", like\n"
      "  ringscope verify \"b1 h8/2 s512 d64 bf16 causal | zigzag ring r8 | cpu | needle seed=7\"\n"
      "  ringscope explain \"causal | zigzag ring r4\"\n"
      "Exit codes: 0 all passed, 1 failed or mistrusted, 2 bad request,\n"
      "3 nothing passed, or no check saw the planted fault, 4 faulted.\n"
      "What does not fit into the free memory is refused; RINGSCOPE_MEMORY=64G says how much is free.");
  const Command root(program);
  ExitCode exit;
  add_verify(root, exit);
  add_prove(root, exit);
  add_check(root, exit);
  add_explain(root);
  add_list(root);
  add_show(root);
  add_export(root);
  add_compare(root, exit);
  add_faults(root);
  add_completion(root);
  root.refuse_unknown_arguments();
  try {
    const int code = run(program, std::move(arguments), exit);
    require_written_output();
    return code;
  } catch (const Error& error) {
    return refuse(error);
  } catch (const std::bad_alloc&) {
    return refuse(Error(ErrorKind::bad_request, "a request that needs more memory than there is", "a smaller one",
                        "`ringscope explain CASE` says what a case needs"));
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return refuse(unwritten_output());
    return refuse(
        Error(ErrorKind::bad_request, error.what(), "a request that this machine can serve", "try fewer ranks"));
  }
}

}  // namespace ringscope
