// The commands of the program, one file each. Adding one prints nothing; running one may throw Error.
#pragma once
#include "tools/command.h"

namespace ringscope {

// What a command that did not throw ends with.
struct ExitCode {
  int value = 0;
};

void add_verify(const Command& program, ExitCode& exit);
void add_prove(const Command& program, ExitCode& exit);
void add_explain(const Command& program);
void add_list(const Command& program);
void add_check(const Command& program, ExitCode& exit);
void add_export(const Command& program);
void add_compare(const Command& program, ExitCode& exit);
void add_faults(const Command& program);
void add_completion(const Command& program);

}  // namespace ringscope
