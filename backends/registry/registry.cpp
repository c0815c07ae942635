#include "backends/registry/registry.h"

#include <array>
#include <string>
#include <string_view>

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/plugin.h"
#include "core/error.h"
#include "core/nearest.h"

namespace ringscope {

namespace {

using cpu::KernelKind;

// What the case line knows and this build lacks.
struct Absent {
  std::string_view name, how_to_get;
};
constexpr std::string_view cuda_is_absent = "build with a CUDA toolkit on a machine with an NVIDIA GPU";
constexpr std::array absent_backends = {
    Absent{"cuda", cuda_is_absent},
    Absent{"cuda:bitwise", cuda_is_absent},
    Absent{"cuda:mma", cuda_is_absent},
    Absent{"cuda-emu", "the emulation of the CUDA kernels is not part of this build"},
};
constexpr std::string_view plugin_prefix = "cpu:plugin=", plugin_word = "cpu:plugin=FILE";

std::string word_of(const KernelKind& kind) {
  return "cpu:" + std::string(kind.name);
}

const KernelKind* kind_named(std::string_view word) {
  if (word == "cpu") return &cpu::kernel_kinds().front();
  for (const KernelKind& kind : cpu::kernel_kinds()) {
    if (word == word_of(kind)) return &kind;
  }
  return nullptr;
}

const Absent* absent_named(std::string_view word) {
  for (const Absent& absent : absent_backends) {
    if (word == absent.name) return &absent;
  }
  return nullptr;
}

[[noreturn]] void refuse_unknown(std::string_view word) {
  std::vector<std::string> words{"cpu"};
  for (const KernelKind& kind : cpu::kernel_kinds()) words.push_back(word_of(kind));
  words.emplace_back(plugin_word);
  for (const Absent& absent : absent_backends) words.emplace_back(absent.name);
  const std::vector<std::string_view> allowed(words.begin(), words.end());
  throw Error(ErrorKind::bad_request, "backend `" + std::string(word) + "`", any_of(allowed),
              nearest_sentence(word, allowed));
}

}  // namespace

std::vector<BackendInfo> backend_infos() {
  std::vector<BackendInfo> infos;
  for (const KernelKind& kind : cpu::kernel_kinds()) infos.push_back({word_of(kind), std::string(kind.sentence)});
  return infos;
}

std::vector<BackendInfo> backend_sentences() {
  std::vector<BackendInfo> infos = backend_infos();
  infos.push_back({std::string(plugin_word), "a kernel of your own from a shared library: docs/plugin.md"});
  return infos;
}

std::unique_ptr<Backend> make_backend(const BackendChoice& choice) {
  cpu::CpuOptions options;
  options.kernel.threads = choice.threads;
  options.link_bytes_per_second = 1e6 * choice.link_mb;
  if (choice.name.starts_with(plugin_prefix)) {
    options.kernel.tile = choice.tile;
    return std::make_unique<cpu::PluginBackend>(choice.name.substr(plugin_prefix.size()), options);
  }
  if (const KernelKind* kind = kind_named(choice.name)) {
    if (choice.tile > 0) options.kernel.tile = choice.tile;
    return std::make_unique<cpu::CpuBackend>(*kind, options);
  }
  if (const Absent* absent = absent_named(choice.name)) {
    throw Error(ErrorKind::unsupported, "backend `" + choice.name + "`, which this build or machine lacks",
                "a backend of `ringscope list backends`", std::string(absent->how_to_get));
  }
  refuse_unknown(choice.name);
}

}  // namespace ringscope
