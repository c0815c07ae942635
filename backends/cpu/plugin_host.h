// The process that holds a plug-in: it loads the library, gives it guarded arrays, and tells what came of each call.
#pragma once
#include <string>

namespace ringscope::cpu {

// Serves Hello, then requests, until the other end closes. Never returns: this process is the plug-in's.
[[noreturn]] void host_plugin(const std::string& file, int socket);

}  // namespace ringscope::cpu
