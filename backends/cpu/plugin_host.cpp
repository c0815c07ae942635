#include "backends/cpu/plugin_host.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "backends/cpu/pipe.h"
#include "backends/cpu/plugin_message.h"

namespace ringscope::cpu {

namespace {

struct Functions {
  const RingscopePluginInfo* (*info)() = nullptr;
  int (*forward)(const RingscopeBlock*) = nullptr;
  int (*backward)(const RingscopeBlock*) = nullptr;
};

void say(Hello& hello, Hello::Trouble trouble, const char* text) {
  hello.trouble = trouble;
  std::strncpy(hello.text.data(), text == nullptr ? "" : text, hello.text.size() - 1);
}

Hello load(const std::string& file, Functions& functions) {
  Hello hello;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    say(hello, Hello::Trouble::cannot_load, dlerror());
    return hello;
  }
  functions.info = reinterpret_cast<decltype(functions.info)>(dlsym(library, "ringscope_plugin_info"));
  functions.forward = reinterpret_cast<decltype(functions.forward)>(dlsym(library, "ringscope_forward"));
  functions.backward = reinterpret_cast<decltype(functions.backward)>(dlsym(library, "ringscope_backward"));
  if (functions.info == nullptr || functions.forward == nullptr) {
    say(hello, Hello::Trouble::missing_symbol,
        functions.info == nullptr ? "ringscope_plugin_info" : "ringscope_forward");
    return hello;
  }
  const RingscopePluginInfo* info = functions.info();
  if (info == nullptr) {
    say(hello, Hello::Trouble::no_info, "");
    return hello;
  }
  hello.api = info->api;
  if (hello.api != RINGSCOPE_PLUGIN_API) {
    say(hello, Hello::Trouble::wrong_api, "");
    return hello;
  }
  hello.supports = info->supports;
  hello.has_backward = functions.backward != nullptr;
  say(hello, Hello::Trouble::none, info->name);
  return hello;
}

class Host {
 public:
  Host(const Functions& functions, int socket) : functions_(functions), socket_(socket) {}

  // False when the other end has closed.
  bool serve() {
    if (receive_all(socket_, writable_bytes_of(request_)) != Transfer::done) return false;
    if (!take_arguments()) return false;
    for_each_argument([&](Argument a) { at(a).allow(kind_of(a).access); });
    const BlockReply reply = call();
    if (send_all(socket_, bytes_of(reply)) != Transfer::done) return false;
    return reply.outcome != BlockReply::Outcome::done || give_outputs();
  }

  // In a signal handler: whose memory was it?
  BlockReply explain(const void* address) const {
    for (int n = 0; n < argument_count; ++n) {
      const Guarded& array = arrays_[static_cast<std::size_t>(n)];
      if (!array.holds(address)) continue;
      const Argument argument = static_cast<Argument>(n);
      const std::int64_t offset = static_cast<const std::byte*>(address) - array.data();
      const Extent& extent = request_.of(argument);
      const bool inside = offset >= 0 && offset < extent.rows * extent.stride_bytes();
      return {.outcome = inside ? BlockReply::Outcome::wrote_input : BlockReply::Outcome::reached_outside,
              .argument = argument,
              .offset = offset};
    }
    return {};
  }
  int socket() const { return socket_; }

 private:
  Guarded& at(Argument a) { return arrays_[static_cast<std::size_t>(a)]; }

  template <class Body>
  void for_each_argument(const Body& body) {
    for (int n = 0; n < argument_count; ++n) {
      if (request_.extents[static_cast<std::size_t>(n)].rows > 0) body(static_cast<Argument>(n));
    }
  }

  bool take_arguments() {
    bool all = true;
    for_each_argument([&](Argument a) {
      elements_.resize(static_cast<std::size_t>(request_.of(a).bytes()));
      all = all && receive_all(socket_, elements_) == Transfer::done;
      if (!all) return;
      at(a).fill(request_.of(a), elements_);
      const void* data = at(a).data();
      std::memcpy(reinterpret_cast<std::byte*>(&request_.block) + kind_of(a).offset, &data, sizeof data);
    });
    const auto stride = [&](Argument a) { return request_.of(a).stride_bytes() / request_.block.bytes_per_real; };
    request_.block.stride_qk = stride(Argument::q);
    request_.block.stride_v = stride(Argument::v);
    request_.block.stride_keep = stride(Argument::keep);
    return all;
  }

  BlockReply call() {
    const RingscopeBlock block = request_.block;
    const int code = request_.pass == Pass::forward ? functions_.forward(&block) : functions_.backward(&block);
    if (code != 0) return {.outcome = BlockReply::Outcome::returned, .code = code};
    BlockReply reply;
    for_each_argument([&](Argument a) {
      const Guarded::Spoiled spoiled = at(a).spoiled();
      if (!spoiled.yes || reply.outcome != BlockReply::Outcome::done) return;
      reply = {.outcome = BlockReply::Outcome::wrote_outside, .argument = a, .offset = spoiled.offset};
    });
    return reply;
  }

  bool give_outputs() {
    bool all = true;
    for_each_argument([&](Argument a) {
      if (kind_of(a).access == Access::read) return;
      elements_.resize(static_cast<std::size_t>(request_.of(a).bytes()));
      at(a).copy_to(elements_);
      all = all && send_all(socket_, elements_) == Transfer::done;
    });
    return all;
  }

  Functions functions_;
  int socket_;
  BlockRequest request_;
  std::array<Guarded, argument_count> arrays_;
  std::vector<std::byte> elements_;
};

// A signal handler reaches nothing but globals; this process has one host.
const Host* the_host = nullptr;

void explain_fault(int signal, siginfo_t* info, void*) {
  const BlockReply reply = the_host->explain(info->si_addr);
  if (reply.argument != Argument::none) {
    send_all(the_host->socket(), bytes_of(reply));
    _exit(0);
  }
  ::signal(signal, SIG_DFL);  // and back to the instruction, which ends this process by the same signal
}

void watch_faults(const Host& host) {
  the_host = &host;
  static std::array<std::byte, 1 << 16> stack;  // the plug-in's own may be what has overflowed
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_sigaction = explain_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &action, nullptr);
}

void stand_alone() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) ::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what a plug-in prints must not end up in a report
}

}  // namespace

void host_plugin(const std::string& file, int socket) {
  stand_alone();
  Functions functions;
  const Hello hello = load(file, functions);
  const bool well = send_all(socket, bytes_of(hello)) == Transfer::done && hello.trouble == Hello::Trouble::none;
  if (well) {
    Host host(functions, socket);
    watch_faults(host);
    while (host.serve()) {
    }
  }
  _exit(0);
}

}  // namespace ringscope::cpu
