// `ringscope verify`: plans, proves, runs and compares cases.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "backends/registry/registry.h"
#include "core/error.h"
#include "core/numbers.h"
#include "formats/new_file.h"
#include "formats/report_json.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/interrupt.h"
#include "tools/memory.h"
#include "tools/progress.h"
#include "tools/verify_jobs.h"
#include "tools/verify_page.h"
#include "tools/verify_print.h"
#include "tools/verify_run.h"
#include "tools/verify_shrink.h"
#include "tools/verify_teller.h"

namespace ringscope {

namespace {

VerifyOptions options_of(const VerifyArguments& a) {
  VerifyOptions options;
  options.make_backend = make_backend;
  if (!a.backend.empty()) require_known_backend(parse_backend(a.backend));
  if (!a.against.empty()) {
    options.against = parse_backend(a.against);
    require_known_backend(*options.against);
  }
  options.wanted = a.bitwise ? Wanted::same_bits : Wanted::figures;
  options.unproved = a.unproved ? Unproved::run : Unproved::refuse;
  if (!a.deadline.empty()) {
    const auto seconds = real_number(a.deadline);
    if (!seconds || *seconds <= 0) {
      throw Error(ErrorKind::bad_request, "--deadline " + a.deadline, "seconds above 0, like --deadline 30");
    }
    options.deadline_seconds = *seconds;
  }
  return options;
}

int cores() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

int threads_of(const VerifyArguments& a) {
  return a.jobs.empty() ? cores() : static_cast<int>(count_argument("--jobs", a.jobs, 1, 1024));
}

void print_json(const Verified& result, const std::optional<Shrunk>& shrunk, const std::string& against) {
  nlohmann::ordered_json json = to_json(result.report);
  if (shrunk) {
    json["shrunk"] = to_json(shrunk->result.report);
    json["shrunk"]["tries"] = shrunk->tries;
    json["shrunk"]["diagnosed_in"] = nullptr;
    if (!shrunk->diagnosed_in.empty()) json["shrunk"]["diagnosed_in"] = shrunk->diagnosed_in;
  }
  if (result.agreement) {
    json["against"] = to_json(*result.agreement);
    json["against"]["backend"] = against;
  }
  fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  std::fflush(stdout);
}

// Multiply-adds of a case whose failure is diagnosed, which takes about a second; where many may fail, a tenth of that.
double most_to_diagnose(std::size_t jobs) {
  return jobs <= few_jobs ? 2e6 : 2e5;
}

// Ctrl-C ends a run at once: cases under way are not waited for.
void leave_if_interrupted(const CatchInterrupts& interrupts, Progress& progress, const Tally& tally) {
  if (!interrupts.was_interrupted()) return;
  progress.clear();
  std::fflush(stdout);
  fmt::print(stderr, "interrupted: {}\n", tally.so_far());
  std::fflush(stderr);
  std::_Exit(interrupted_exit_code);
}

int run(const VerifyArguments& a) {
  const CatchInterrupts interrupts;
  Progress progress;
  Tally tally;
  const TellStage tell = [&](std::string_view stage, std::optional<double> done) {
    leave_if_interrupted(interrupts, progress, tally);
    progress.tell(stage, done);
  };
  VerifyOptions options = options_of(a);
  const std::vector<VerifyJob> jobs = make_jobs(a, tell);
  const int threads = std::min(threads_of(a), static_cast<int>(std::min<std::size_t>(jobs.size(), 1024)));
  options.most_to_diagnose = most_to_diagnose(jobs.size());
  options.free_bytes = free_memory_bytes();
  options.cores = std::max(1, cores() / threads);
  tally.expect(jobs.size());
  progress.begin(jobs.size());
  VerifyOptions told = options;
  told.tell = [&tell](std::string_view, std::optional<double>) { tell("shrinking a failure", std::nullopt); };
  Shrinker shrinker(a, told);
  Teller teller(jobs.size(), a.against);
  VerifyPage page;
  const auto take = [&](const VerifyJob& job, const Verified& result) {
    tally.add(job, result.report);
    const auto shrunk = shrinker.shrink(job, result);
    if (a.json || teller.speaks_of(result.report)) progress.clear();
    a.json ? print_json(result, shrunk, a.against) : teller.tell(job, result, shrunk);
    if (!a.report.empty()) page.add(shrunk ? shrunk->job : job, shrunk ? shrunk->result.report : result.report);
    progress.step();
    progress.wait(tally.all(), {});
    leave_if_interrupted(interrupts, progress, tally);
  };
  const auto wait = [&](const Doing& doing) {
    leave_if_interrupted(interrupts, progress, tally);
    progress.wait(tally.all(), doing);
  };
  run_jobs(jobs, threads, options, {take, wait, progress.is_visible()});
  progress.clear();
  if (!a.report.empty()) write_file(a.report, page.html(tally));
  if (a.json) {
    fmt::print("{}\n", to_json(tally.all()).dump());
  } else {
    teller.end();
    tally.print(progress.seconds());
  }
  return tally.all().exit_code();
}

}  // namespace

void add_verify(const Command& program, ExitCode& exit) {
  const Command verify = program.add(
      "verify", "plans, proves, runs and compares cases with the oracle; alone it runs the smoke suite",
      {"ringscope verify \"b1 h8/2 s512 d64 bf16 causal | zigzag ring r8\"", "ringscope verify --random 200 --seed 1",
       "ringscope verify --suite ci --filter \"zigzag causal\" --backend cpu:bitwise --json"});
  const auto a = std::make_shared<VerifyArguments>();
  verify.add_values("CASE", a->cases, "quoted case lines");
  verify.add_value("--file", a->file, "case lines from a file, one a line; what stands behind a # is a comment",
                   "CASES");
  verify.add_value("--schedule", a->schedule, "a schedule file of your own (docs/schedules.md)", "FILE");
  verify.add_value("--suite", a->suite, "a suite: see `ringscope list suites`", "smoke|ci|full");
  verify.add_value("--random", a->random, "so many cases at random over the whole grammar; a failure is shrunk", "N");
  verify.add_flag("--shrink", a->shrink, "the first failure of each kind made as small as it can be; --random does");
  verify.add_value("--seed", a->seed, "what --random draws from, or the data of --schedule", "S");
  verify.add_value("--filter", a->filter, "only cases that have all these words", "WORDS");
  verify.add_value("--backend", a->backend, "the backend field of all cases", "WORDS");
  verify.add_value("--against", a->against, "a second backend: distances in ulps", "WORDS");
  verify.add_flag("--bitwise", a->bitwise, "with --against: other bits are a failure");
  verify.add_value(
      "--fault", a->fault,
      "a fault planted into all cases (`ringscope list faults`); exit code 1 or 4: it was seen, 3: it was not",
      "NAME[@r2,t1]");
  verify.add_flag("--unproved", a->unproved, "run a plan even if the proof refuses it, to see what numbers say");
  verify.add_value("--jobs", a->jobs, "cases at the same time (the machine's cores if not said); they share its cores",
                   "N");
  verify.add_value("--deadline", a->deadline, "seconds without progress that end a run (30 if not said)", "SECONDS");
  verify.add_value("--report", a->report, "writes a page: verdicts by recipe, and what did not pass, with error maps",
                   "OUT.html");
  verify.add_flag("--json", a->json, "one object a case on stdout, then the summary");
  verify.on_run([a, &exit] { exit.value = run(*a); });
}

}  // namespace ringscope
