// `ringscope prove`: the proof alone, of a case's plan or of a schedule that somebody wrote.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "core/case.h"
#include "core/error.h"
#include "core/schedule_check.h"
#include "core/schedule_text.h"
#include "formats/new_file.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/stage.h"
#include "tools/terminal.h"

namespace ringscope {

namespace {

struct ProveArguments {
  std::vector<std::string> cases;
  std::string schedule, write;
  bool json = false;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Of this process so far: what a person must have free to prove the same.
std::int64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

struct Proved {
  std::string name;
  Plan plan;
  Proof proof;
  double plan_seconds = 0, proof_seconds = 0;
  std::string note;
};

Proved prove_it(const ProveArguments& arguments) {
  Proved proved;
  auto begin = std::chrono::steady_clock::now();
  if (!arguments.schedule.empty()) {
    proved.plan = read_plan(arguments.schedule);
    proved.name = arguments.schedule;
  } else {
    const Case c = parse_case(arguments.cases.front());
    Planted staged = stage(c);
    proved.plan = std::move(staged.plan);
    proved.name = to_line(c);
    const bool is_unseen = staged.fault != nullptr && staged.fault->family != FaultFamily::schedule;
    if (is_unseen) proved.note = "the planted fault " + c.fault.name + " leaves the plan right: verify runs it";
  }
  proved.plan_seconds = seconds_since(begin);
  begin = std::chrono::steady_clock::now();
  proved.proof = prove_told(proved.plan);
  proved.proof_seconds = seconds_since(begin);
  return proved;
}

void print_json(const Proved& p) {
  nlohmann::ordered_json violations = nlohmann::ordered_json::array();
  for (const Violation& v : p.proof.violations) {
    violations.push_back({{"rule", name_of(v.rule)},
                          {"rank", v.rank},
                          {"step", v.step},
                          {"slice", to_text(v.slice)},
                          {"sentence", v.sentence}});
  }
  const nlohmann::ordered_json json = {{"case", p.name},
                                       {"proved", p.proof.holds()},
                                       {"ranks", p.plan.layout.ranks},
                                       {"steps", p.plan.schedule.steps()},
                                       {"moves", p.plan.schedule.moves.size()},
                                       {"attends", p.plan.schedule.attends.size()},
                                       {"violations", violations},
                                       {"note", p.note},
                                       {"plan_seconds", p.plan_seconds},
                                       {"proof_seconds", p.proof_seconds},
                                       {"peak_memory_bytes", peak_memory_bytes()}};
  fmt::print("{}\n", json.dump());
}

void print_text(const Proved& p) {
  const Schedule& s = p.plan.schedule;
  const bool holds = p.proof.holds();
  fmt::print("{}  {}\n", inked(holds ? "proved" : "refused", holds ? Emphasis::good : Emphasis::bad, stdout), p.name);
  fmt::print("  {} ranks, {} steps, {} moves, {} attends, {} finishes\n", p.plan.layout.ranks, s.steps(),
             s.moves.size(), s.attends.size(), s.finishes.size());
  for (const Violation& v : p.proof.violations) fmt::print("  {}: {}\n", name_of(v.rule), v.sentence);
  if (!p.note.empty()) fmt::print("  {}\n", p.note);
  fmt::print("  plan {:.3f} s, proof {:.3f} s, peak memory {:.0f} MB\n", p.plan_seconds, p.proof_seconds,
             static_cast<double>(peak_memory_bytes()) / 1e6);
}

void run(const ProveArguments& arguments, ExitCode& exit) {
  require_quoted(arguments.cases);
  const std::size_t wanted = arguments.cases.size() + (arguments.schedule.empty() ? 0 : 1);
  if (wanted != 1) {
    throw Error(ErrorKind::bad_request, wanted == 0 ? "nothing to prove" : "more than one thing to prove",
                "one CASE, or --schedule FILE", "see `ringscope prove --help`");
  }
  const Proved proved = prove_it(arguments);
  if (!arguments.write.empty()) write_file(arguments.write, schedule_text(proved.plan));
  arguments.json ? print_json(proved) : print_text(proved);
  exit.value = proved.proof.holds() ? 0 : exit_code(ErrorKind::unprovable);
}

}  // namespace

void add_prove(const Command& program, ExitCode& exit) {
  const Command prove = program.add(
      "prove", "proves a plan without computing: every pair once, data there when used, no deadlock",
      {"ringscope prove \"b1 h8 s1024 d64 causal | zigzag ring r1024\"", "ringscope prove --schedule mine.txt --json"});
  const auto arguments = std::make_shared<ProveArguments>();
  prove.add_values("CASE", arguments->cases, "one quoted case line");
  prove.add_value("--schedule", arguments->schedule, "a schedule file (docs/schedules.md) instead of a case");
  prove.add_value("--write", arguments->write, "write the plan as a schedule file, to read, change and prove again");
  prove.add_flag("--json", arguments->json, "one object on stdout");
  prove.on_run([arguments, &exit] { run(*arguments, exit); });
}

}  // namespace ringscope
