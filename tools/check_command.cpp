// `ringscope check`: judges other people's tensors against the oracle.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>

#include "core/error.h"
#include "core/numbers.h"
#include "formats/new_file.h"
#include "tools/arguments.h"
#include "tools/check_print.h"
#include "tools/commands.h"
#include "tools/terminal.h"

namespace ringscope {

namespace {

struct CheckArguments {
  std::vector<std::string> files;
  std::string mask, axes, layout, lse_base, lse_axes, kv_lengths, scale, softcap, problem, empty_lse, empty_o;
  std::string report;
  bool json = false, progress = false;
};

std::optional<std::string> said(const std::string& flag) {
  return flag.empty() ? std::nullopt : std::optional(flag);
}

std::optional<double> value_of_empty(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "nan") return std::nan("");
  if (text == "inf" || text == "-inf") return text[0] == '-' ? -HUGE_VAL : HUGE_VAL;
  if (const auto value = real_number(text)) return *value;
  throw Error(ErrorKind::bad_request, flag + " " + text, "a number, inf, -inf or nan");
}

DumpWords words_of(const CheckArguments& a) {
  DumpWords words;
  words.mask = said(a.mask), words.axes = said(a.axes), words.layout = said(a.layout);
  words.lse_base = said(a.lse_base), words.lse_axes = said(a.lse_axes), words.kv_lengths = said(a.kv_lengths);
  words.scale = said(a.scale), words.softcap = said(a.softcap), words.problem = said(a.problem);
  words.empty_lse = value_of_empty("--empty-lse", a.empty_lse);
  words.empty_o = value_of_empty("--empty-o", a.empty_o);
  return words;
}

// One line on stderr that is drawn over.
class ProgressLine {
 public:
  explicit ProgressLine(bool visible) : visible_(visible), begin_(std::chrono::steady_clock::now()) {}
  ~ProgressLine() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
  }

  void show(double done) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (!visible_ || seconds < 1 || done <= 0) return;
    fmt::print(stderr, "\r\x1b[K{:.0f} %, about {:.0f} s left", 100 * done, seconds / done - seconds);
    std::fflush(stderr);
    drawn_ = true;
  }

 private:
  bool visible_, drawn_ = false;
  std::chrono::steady_clock::time_point begin_;
};

int run(const CheckArguments& a) {
  const CheckResult result = [&] {
    ProgressLine line(a.progress || is_terminal(stderr));
    return run_check(a.files, words_of(a), a.report.empty() ? Detail::verdict : Detail::maps,
                     [&line](double done) { line.show(done); });
  }();
  if (!a.report.empty()) write_file(a.report, check_page(result));
  if (a.json) {
    fmt::print("{}\n", to_json(result).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    print_check(result);
  }
  return result.judged.verdict() == Verdict::passed ? 0 : 1;
}

}  // namespace

void add_check(const Command& program, ExitCode& exit) {
  const Command check =
      program.add("check", "judges attention that others computed: q, k, v and any of o, lse, do, dq, dk, dv",
                  {"ringscope check dump.safetensors --mask causal --axes BSHD",
                   "ringscope check run.rank*of4.safetensors --layout \"zigzag 4\" --json"});
  const auto a = std::make_shared<CheckArguments>();
  check.add_needed_values("FILE", a->files, "safetensors or npz: one file, or one for each rank");
  check.add_value("--mask", a->mask, "full, causal, causal bottom-right, window L R, documents A B ..., prefix P",
                  "WORDS");
  check.add_value("--axes", a->axes, "of q, k, v, o and gradients", "BHSD|BSHD");
  check.add_value("--layout", a->layout, "how rows are dealt to ranks: contiguous N, zigzag N, striped N", "WORDS");
  check.add_value("--lse-base", a->lse_base, "the base of lse's logarithm", "e|2");
  check.add_value("--lse-axes", a->lse_axes, "of lse", "BHS|BSH");
  check.add_value("--kv-lengths", a->kv_lengths, "how many keys each batch entry has, quoted: \"19 8\"", "N...");
  check.add_value("--scale", a->scale, "of q.k; 1/sqrt(Dqk) if not said", "X");
  check.add_value("--softcap", a->softcap, "c: a score becomes c tanh(score / c)", "C");
  check.add_value("--problem", a->problem, "case-line words in case meaning, instead of --mask", "WORDS");
  check.add_value("--empty-lse", a->empty_lse, "lse of a row that sees no key; -inf if not said", "X");
  check.add_value("--empty-o", a->empty_o, "o of a row that sees no key; 0 if not said", "X");
  check.add_value("--report", a->report, "writes a page with error maps: head by row, rank by row, step and KV rank",
                  "OUT.html");
  check.add_flag("--progress", a->progress, "progress on stderr even where it is no terminal");
  check.add_flag("--json", a->json, "one object on stdout");
  check.on_run([a, &exit] { exit.value = run(*a); });
}

}  // namespace ringscope
