#include "backends/cpu/plugin_worker.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "backends/cpu/pipe.h"
#include "backends/cpu/plugin_host.h"
#include "core/error.h"
#include "core/numbers.h"

namespace ringscope::cpu {

namespace {

constexpr double loading_seconds = 20;
constexpr std::string_view how_to_build =
    "cc -std=c99 -O2 -shared -fPIC -I <ringscope> mine.c -o mine.so -lm; see docs/plugin.md";

[[noreturn]] void refuse(std::string got, std::string want, std::string fix) {
  throw Error(ErrorKind::bad_file, std::move(got), std::move(want), std::move(fix));
}

// dlopen() searches the system for a name without a folder; a case line means the file.
std::string path_of(const std::string& file) {
  std::error_code ignored;
  const auto path = std::filesystem::absolute(file, ignored);
  if (!std::filesystem::exists(path, ignored)) {
    refuse("plug-in `" + file + "`, and there is no such file", "a shared library", std::string(how_to_build));
  }
  if (!std::filesystem::is_regular_file(path, ignored)) {
    refuse("plug-in `" + file + "`, which is no file", "a shared library", std::string(how_to_build));
  }
  return path.string();
}

// In the new process: no descriptor of another worker, or its end would never be seen.
[[noreturn]] void become_host(const std::string& file, int socket) {
  constexpr int only = STDERR_FILENO + 1;
  dup2(socket, only);
  close_range(only + 1, ~0U, 0);
  host_plugin(file, only);
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    return "crashed (SIG" + std::string(name == nullptr ? "?" : name) + ")";
  }
  return "ended its process with exit code " + std::to_string(WEXITSTATUS(status));
}

// The line closes a little before the process is gone; it may also live on without one.
std::optional<int> wait_for_end(pid_t process) {
  for (int tries = 0; tries < 1000; ++tries) {
    int status = 0;
    if (waitpid(process, &status, WNOHANG) == process) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return std::nullopt;
}

}  // namespace

PluginWorker::PluginWorker(std::string file) : file_(std::move(file)) {
  start();
  try {
    greet();
  } catch (...) {
    end();
    throw;
  }
}

PluginWorker::~PluginWorker() {
  end();
}

// From a fresh thread: what OpenMP remembers of the calling one would hang a plug-in that uses it too.
void PluginWorker::start() {
  const std::string path = path_of(file_);
  std::array<int, 2> ends{-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0) {
    std::jthread([&] {
      process_ = fork();
      if (process_ == 0) become_host(path, ends[1]);
    }).join();
    close(ends[1]);
    socket_ = ends[0];
  }
  if (process_ < 0) {
    throw Error(ErrorKind::unsupported, "no process for the plug-in: " + std::string(strerror(errno)),
                "a machine that can start one more");
  }
}

void PluginWorker::greet() {
  const Transfer transfer = receive_all(socket_, writable_bytes_of(about_), loading_seconds);
  about_.text.back() = '\0';
  const std::string plugin = "plug-in `" + file_ + "`", text = about_.text.data();
  if (transfer != Transfer::done) {
    throw Error(ErrorKind::broken_kernel,
                plugin + ", which " + end_after(transfer, loading_seconds) + " as it was loaded",
                "a library that can be loaded and asked for ringscope_plugin_info()");
  }
  switch (about_.trouble) {
    case Hello::Trouble::none:
      return;
    case Hello::Trouble::cannot_load:
      refuse(plugin + ", which cannot be loaded: " + text, "a shared library with all it needs",
             std::string(how_to_build));
    case Hello::Trouble::missing_symbol:
      refuse(plugin + " without " + text + "()", "ringscope_plugin_info() and ringscope_forward(), visible and in C",
             "in C++ include backends/cpu/plugin_api.h, which says extern \"C\"");
    case Hello::Trouble::no_info:
      refuse(plugin + ", whose ringscope_plugin_info() gives a null pointer", "a RingscopePluginInfo", {});
    case Hello::Trouble::wrong_api:
      refuse(plugin + " of API version " + std::to_string(about_.api),
             "API version " + std::to_string(RINGSCOPE_PLUGIN_API),
             "build it with the backends/cpu/plugin_api.h of this Ringscope");
  }
}

std::optional<std::string> PluginWorker::call(const BlockRequest& request, const Arguments& arguments,
                                              double deadline_seconds) {
  if (socket_ < 0) return "had died before";
  const auto is_present = [&](int n) { return request.extents[static_cast<std::size_t>(n)].rows > 0; };
  Transfer transfer = send_all(socket_, bytes_of(request));
  for (int n = 0; n < argument_count && transfer == Transfer::done; ++n) {
    if (is_present(n)) transfer = send_all(socket_, arguments[static_cast<std::size_t>(n)].given);
  }
  BlockReply reply;
  if (transfer == Transfer::done) transfer = receive_all(socket_, writable_bytes_of(reply), deadline_seconds);
  if (transfer != Transfer::done) return end_after(transfer, deadline_seconds);
  if (reply.outcome != BlockReply::Outcome::done) {
    end();
    return sentence_of(reply, request);
  }
  for (int n = 0; n < argument_count && transfer == Transfer::done; ++n) {
    if (!is_present(n) || kind_of(static_cast<Argument>(n)).access == Access::read) continue;
    transfer = receive_all(socket_, arguments[static_cast<std::size_t>(n)].taken, deadline_seconds);
  }
  if (transfer != Transfer::done) return end_after(transfer, deadline_seconds);
  return std::nullopt;
}

std::string PluginWorker::end_after(Transfer transfer, double deadline_seconds) {
  if (transfer == Transfer::closed) {
    if (const auto status = wait_for_end(process_)) {
      process_ = -1;
      end();
      return end_text(*status);
    }
    end();
    return "closed the line to Ringscope";
  }
  end();
  return "did not return within " + text_of(deadline_seconds) + " s";
}

void PluginWorker::end() {
  if (socket_ >= 0) close(std::exchange(socket_, -1));
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  waitpid(std::exchange(process_, -1), nullptr, 0);
}

}  // namespace ringscope::cpu
