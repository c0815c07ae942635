// `ringscope show`: what a case looks like, as text, SVG, one page of HTML, or JSON.
#pragma once
#include "tools/command.h"

namespace ringscope {

// Adds `show` with a command for each subject; running one prints to stdout or writes the files asked for. Throws
// Error, like every command.
void add_show(const Command& program);

}  // namespace ringscope
