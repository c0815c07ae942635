// A plug-in in a process of its own: whatever it does there, Ringscope lives on and can say what it was.
#pragma once
#include <sys/types.h>

#include <array>
#include <optional>
#include <span>
#include <string>

#include "backends/cpu/pipe.h"
#include "backends/cpu/plugin_message.h"

namespace ringscope::cpu {

// The elements of each present argument, without gaps.
struct Elements {
  std::span<const std::byte> given;
  std::span<std::byte> taken;  // the same, where the plug-in may write
};
using Arguments = std::array<Elements, argument_count>;

class PluginWorker {
 public:
  // Throws Error(bad_file) for what is no plug-in of this version, Error(broken_kernel) for one that dies as it loads.
  explicit PluginWorker(std::string file);
  ~PluginWorker();
  PluginWorker(const PluginWorker&) = delete;
  PluginWorker& operator=(const PluginWorker&) = delete;

  const Hello& about() const { return about_; }
  std::string name() const { return about_.text.data(); }
  // Nothing when the call did its work; else what the plug-in did instead: "crashed (SIGSEGV)". It is dead then.
  std::optional<std::string> call(const BlockRequest& request, const Arguments& arguments, double deadline_seconds);

 private:
  void start();
  void greet();
  void end();
  std::string end_after(Transfer transfer, double deadline_seconds);  // what the process did instead of answering

  std::string file_;
  pid_t process_ = -1;
  int socket_ = -1;
  Hello about_;
};

}  // namespace ringscope::cpu
