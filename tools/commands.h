// The commands of the program, one file each. Adding one prints nothing; running one may throw Error.
#pragma once

namespace CLI {
class App;
}

namespace ringscope {

// What a command that did not throw ends with.
struct ExitCode {
  int value = 0;
};

void add_verify(CLI::App& program, ExitCode& exit);
void add_prove(CLI::App& program, ExitCode& exit);
void add_explain(CLI::App& program);
void add_list(CLI::App& program);
void add_check(CLI::App& program, ExitCode& exit);
void add_export(CLI::App& program);
void add_compare(CLI::App& program, ExitCode& exit);
void add_faults(CLI::App& program);
void add_completion(CLI::App& program);

}  // namespace ringscope
