#include "tools/verify_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/error.h"
#include "core/numbers.h"
#include "core/suites.h"
#include "core/text_file.h"
#include "tools/arguments.h"

namespace ringscope {

namespace {

// Flags that change what every case means, as they are repeated.
std::string shared_flags(const VerifyArguments& a) {
  std::string flags;
  if (!a.against.empty()) flags += fmt::format(" --against \"{}\"", a.against);
  if (a.bitwise) flags += " --bitwise";
  if (a.unproved) flags += " --unproved";
  return flags;
}

VerifyJob refused_job(const std::string& line, std::string refusal) {
  VerifyJob job;
  job.line = line;
  job.refusal = std::move(refusal);
  job.schedule = "not a case";
  job.repeat = fmt::format("ringscope verify \"{}\"", line);
  return job;
}

VerifyJob job_of_line(const std::string& line, const std::string& where, const VerifyArguments& a) {
  try {
    return make_job(parse_case(line), a);
  } catch (const Error& error) {
    return refused_job(line, where + error.what());
  }
}

// What stands behind a # is a comment, where the # begins a word: custom=FILE#hash has none.
std::string_view without_comment(std::string_view line) {
  constexpr std::string_view spaces = " \t\r";
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at > 0 && spaces.find(line[at - 1]) == std::string_view::npos) continue;
    line = line.substr(0, at);
    break;
  }
  const std::size_t begin = line.find_first_not_of(spaces);
  return begin == std::string_view::npos ? "" : line.substr(begin, line.find_last_not_of(spaces) + 1 - begin);
}

void add_file(const VerifyArguments& a, std::vector<VerifyJob>& jobs) {
  std::istringstream text(read_text_file(a.file));
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    const std::string_view words = without_comment(line);
    if (!words.empty())
      jobs.push_back(job_of_line(std::string(words), fmt::format("{}, line {}: ", a.file, number), a));
  }
}

std::uint64_t seed_of(const VerifyArguments& a) {
  if (a.seed.empty()) return 0;
  const auto seed = seed_number(a.seed);
  if (!seed) throw Error(ErrorKind::bad_request, "--seed " + a.seed, "a whole number from 0 to 2^64 - 1");
  return *seed;
}

// The canonical line with the file in the place of the recipe, and what repeats it.
void name_schedule_job(const VerifyArguments& a, VerifyJob& job) {
  const std::string line = to_line(*job.c);
  const std::size_t recipe = line.find(" | ") + 3;
  job.line = line.substr(0, recipe) + a.schedule + line.substr(line.find(" | ", recipe));
  job.repeat = fmt::format("ringscope verify --schedule \"{}\" --seed {}", a.schedule, job.c->seed);
  if (!a.backend.empty()) job.repeat += fmt::format(" --backend \"{}\"", a.backend);
  if (!a.fault.empty()) job.repeat += " --fault " + a.fault;
  job.repeat += shared_flags(a);
}

void add_schedule(const VerifyArguments& a, std::vector<VerifyJob>& jobs) {
  VerifyJob job;
  job.plan = std::make_shared<const Plan>(read_plan(a.schedule));
  job.c.emplace();
  job.c->problem = job.plan->problem;
  job.c->seed = seed_of(a);
  job.schedule = a.schedule;
  name_schedule_job(a, job);
  jobs.push_back(std::move(job));
}

// Whole words; a name stands for itself with any value: "window" for window=64,0, "h" for h8/2 is not meant.
bool has_word(const Case& c, const std::string& word) {
  if (word == "full") return c.problem.mask == Mask{};
  if (word == "bwd") return c.problem.has_backward();
  if (word == "fwd") return !c.problem.has_backward();
  std::istringstream words(to_line(c));
  for (std::string w; words >> w;) {
    if (w == word || (w.starts_with(word) && w[word.size()] == '=')) return true;
  }
  return false;
}

void keep_filtered(const std::string& filter, std::vector<VerifyJob>& jobs) {
  std::istringstream words(filter);
  for (std::string word; words >> word;) {
    std::erase_if(jobs, [&](const VerifyJob& job) { return job.c && !has_word(*job.c, word); });
    if (jobs.empty()) {
      throw Error(ErrorKind::bad_request, "--filter \"" + filter + "\", which leaves no case",
                  "words that some case has, as its canonical line says them", "`" + word + "` left none");
    }
  }
}

FaultChoice parse_fault(const std::string& text) {
  return parse_case("| | | fault=" + text).fault;
}

void require_no_other_fault(const FaultChoice& planted, const VerifyJob& job, const VerifyArguments& a) {
  const FaultChoice& own = job.c->fault;
  if (own.name.empty() || own == planted) return;
  throw Error(ErrorKind::bad_request, "--fault " + a.fault + " and another fault in the case \"" + job.line + "\"",
              "one fault a case", "drop --fault " + a.fault + ", or the word fault=... of the case");
}

// Fields that flags set for all cases.
void override_fields(const VerifyArguments& a, std::vector<VerifyJob>& jobs) {
  const auto backend = a.backend.empty() ? std::nullopt : std::optional(parse_backend(a.backend));
  const auto fault = a.fault.empty() ? std::nullopt : std::optional(parse_fault(a.fault));
  if (!backend && !fault) return;
  for (VerifyJob& job : jobs) {
    if (!job.c) continue;
    if (backend) job.c->backend = *backend;
    if (fault) require_no_other_fault(*fault, job, a);
    if (fault) job.c->fault = *fault;
    if (job.plan == nullptr) {
      job = make_job(*job.c, a);
    } else {
      name_schedule_job(a, job);
    }
  }
}

}  // namespace

BackendChoice parse_backend(const std::string& words) {
  return parse_case("| | " + words).backend;
}

VerifyJob make_job(const Case& c, const VerifyArguments& a) {
  VerifyJob job;
  job.line = to_line(c);
  job.c = c;
  job.schedule = c.recipe.schedule;
  job.repeat = fmt::format("ringscope verify \"{}\"{}", job.line, shared_flags(a));
  return job;
}

std::vector<VerifyJob> make_jobs(const VerifyArguments& a, const TellStage& tell) {
  require_quoted(a.cases);
  if (a.bitwise && a.against.empty()) {
    throw Error(ErrorKind::bad_request, "--bitwise alone", "--against BACKEND --bitwise", "say whose bits are wanted");
  }
  if (!a.seed.empty() && a.random.empty() && a.schedule.empty()) {
    throw Error(ErrorKind::bad_request, "--seed alone", "--random N --seed S, or --schedule FILE --seed S",
                "a case has its own word seed=7");
  }
  std::vector<VerifyJob> jobs;
  for (const std::string& line : a.cases) jobs.push_back(job_of_line(line, "", a));
  if (!a.file.empty()) add_file(a, jobs);
  if (!a.schedule.empty()) add_schedule(a, jobs);
  if (!a.random.empty()) {
    const std::int64_t count = count_argument("--random", a.random, 1, 10'000'000);
    const TellDone drawn = tell ? TellDone([&tell](double done) { tell("drawing cases", done); }) : TellDone();
    for (const Case& c : random_cases(count, seed_of(a), drawn)) jobs.push_back(make_job(c, a));
  }
  const bool asked = !a.cases.empty() || !a.file.empty() || !a.schedule.empty() || !a.random.empty();
  if (!a.suite.empty() || !asked) {
    if (tell) tell("making the suite", std::nullopt);
    for (const Case& c : suite_cases(a.suite.empty() ? "smoke" : a.suite)) jobs.push_back(make_job(c, a));
  }
  if (jobs.empty())
    throw Error(ErrorKind::bad_file, a.file + " without a case",
                "one case line a line; what stands behind a # is a comment");
  keep_filtered(a.filter, jobs);
  override_fields(a, jobs);
  return jobs;
}

}  // namespace ringscope
