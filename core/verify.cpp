#include "core/verify.h"

#include <chrono>
#include <new>
#include <system_error>

#include "core/diagnosis/diagnosis.h"
#include "core/diagnosis/run_evidence.h"
#include "core/error.h"
#include "core/execute.h"
#include "core/faults/planted.h"
#include "core/first_difference.h"
#include "core/footprint.h"
#include "core/rank_error.h"
#include "core/schedule_check.h"
#include "core/schedule_diff.h"

namespace ringscope {

namespace {

// What is run, and what it should have been.
struct Trial {
  const Plan& clean;
  Planted planted;
};

void conclude(Report& report, Verdict verdict, std::string reason) {
  report.verdict = verdict;
  report.reason = std::move(reason);
}

void conclude(Report& report, const Error& error) {
  switch (error.kind) {
    case ErrorKind::bad_request:
    case ErrorKind::bad_file:
      return conclude(report, Verdict::invalid, error.what());
    case ErrorKind::unsupported:
      return conclude(report, Verdict::skipped, error.what());
    case ErrorKind::unprovable:
    case ErrorKind::broken_kernel:
      return conclude(report, Verdict::failed, error.what());
    case ErrorKind::fault:
      return conclude(report, Verdict::faulted, error.what());
  }
}

int kv_block_of(const Slice& slice) {
  return side_of(slice.tensor) == Side::kv ? slice.blocks.first : -1;
}

// The proof sees the harm where it comes out, at a Finish say; the recipe's own schedule tells where it was done.
void trace_back(const Trial& trial, Report& report) {
  const auto first = first_difference(trial.clean.schedule, trial.planted.plan.schedule);
  if (!first) return;
  report.where->rank = first->rank;
  report.where->step = first->step;
  report.where->kv_block = kv_block_of(first->slice);
  report.reason += "; against the recipe's own schedule, " + first->sentence;
}

void tell_stage(const VerifyOptions& options, std::string_view stage) {
  if (options.tell) options.tell(stage, std::nullopt);
}

TellDone tell_of(const VerifyOptions& options, std::string_view stage) {
  if (!options.tell) return {};
  return [&options, stage](double done) { options.tell(stage, done); };
}

bool prove_trial(const Trial& trial, const VerifyOptions& options, Report& report) {
  tell_stage(options, "proof");
  const Proof proof = prove(trial.planted.plan, {.most_violations = 1, .tell = tell_of(options, "proof")});
  if (proof.holds()) {
    const Problem& problem = trial.clean.problem;
    require_room_for_ranks(problem, proof.facts.peak_bytes, footprint_of_verify(problem), options.free_bytes);
    return true;
  }
  const Violation& v = proof.violations.front();
  conclude(report, Verdict::failed, "the proof refuses the plan: " + v.sentence);
  report.where = Place{.check = "proof", .rank = v.rank, .step = v.step, .kv_block = kv_block_of(v.slice)};
  trace_back(trial, report);
  return false;
}

RunOptions run_options(const Trial& trial, const VerifyOptions& options, RunOptions::Record record) {
  RunOptions run;
  run.deadline_seconds = options.deadline_seconds.value_or(trial.planted.in_the_world() ? 0.25 : run.deadline_seconds);
  run.record = record;
  run.cores = options.cores;
  run.tell = tell_of(options, record == RunOptions::Record::nothing ? "run" : "run again, to find the place");
  return run;
}

// The same run again, watched, to say where it first left the right path.
void locate(const Trial& trial, Backend& backend, const Reference& reference, const VerifyOptions& options,
            Report& report) {
  const RunResult again = execute(backend, trial.planted.plan, reference.inputs,
                                  run_options(trial, options, RunOptions::Record::snapshots));
  const auto difference = first_difference(trial.clean, reference.inputs, reference.oracle, again, *report.where);
  if (!difference) return;
  report.where->rank = difference->rank;
  report.where->step = difference->step;
  report.where->kv_block = difference->kv_block;
  report.reason += "; " + difference->sentence;
}

double full_multiply_adds(const Problem& p) {
  return static_cast<double>(p.batch * p.heads_q * p.len_q) * static_cast<double>(p.len_kv * (p.dim_qk + p.dim_v));
}

void diagnose_failure(const Trial& trial, const Reference& reference, const Outputs& outputs,
                      const VerifyOptions& options, Report& report) {
  const bool is_small = full_multiply_adds(trial.planted.plan.problem) <= options.most_to_diagnose;
  if (!is_small || !report.where->output) return;
  tell_stage(options, "diagnosis");
  report.diagnosed = true;
  report.diagnosis = diagnose(run_evidence(trial.planted.plan, reference, outputs, report));
}

void compare_with(const BackendChoice& other, const Trial& trial, const Reference& reference, const Outputs& outputs,
                  const VerifyOptions& options, Verified& result) {
  const auto backend = faulty(options.make_backend(other), trial.planted);
  const RunResult run =
      execute(*backend, trial.planted.plan, reference.inputs, run_options(trial, options, RunOptions::Record::nothing));
  result.agreement = agreement(trial.planted.plan.problem, outputs, run.outputs);
  const bool wrong = options.wanted == Wanted::same_bits && !result.agreement->same_bits();
  if (!wrong || result.report.verdict == Verdict::failed) return;
  const Place& place = *result.agreement->first_unlike;
  conclude(result.report, Verdict::failed,
           std::string(name_of(*place.output)) + " has not the same bits as " + other.name + ", first at batch " +
               std::to_string(place.batch) + ", head " + std::to_string(place.head) + ", row " +
               std::to_string(place.row));
  result.report.where = place;
}

// A person who planted a fault must not read a mere "passed".
void say_unseen(const Trial& trial, const Case& c, const Reference& reference, const Outputs& outputs,
                const VerifyOptions& options, Report& report) {
  const auto backend = options.make_backend(c.backend);
  const RunResult clean = execute(*backend, trial.clean, reference.inputs);
  const bool is_alike = agreement(trial.clean.problem, clean.outputs, outputs).same_bits();
  report.fault_unseen = true;
  report.reason =
      "the planted fault " + std::string(trial.planted.fault->name) + " was not seen by this case: " +
      (is_alike ? "the outputs have the same bits as without it" : "it changes the outputs by less than is allowed");
  if (c.fill != Fill::random) report.reason += "; the fill random may see it";
}

void run_trial(const Trial& trial, const Case& c, References& references, const VerifyOptions& options,
               Verified& result) {
  const auto backend = faulty(options.make_backend(c.backend), trial.planted);
  if (const Support support = backend->supports(trial.planted.plan.problem, trial.planted.plan.schedule);
      !support.yes) {
    return conclude(result.report, Verdict::skipped, support.because);
  }
  const auto reference = references.of(c.problem, c.fill, c.seed, tell_of(options, "oracle"));
  tell_stage(options, "run");
  const RunResult run = execute(*backend, trial.planted.plan, reference->inputs,
                                run_options(trial, options, RunOptions::Record::nothing));
  tell_stage(options, "comparison");
  const std::string line = result.report.case_line;
  result.report = compare(trial.planted.plan.problem, *reference, run.outputs);
  result.report.case_line = line;
  const bool can_locate = result.report.verdict == Verdict::failed && result.report.where;
  if (can_locate) {
    locate(trial, *backend, *reference, options, result.report);
    diagnose_failure(trial, *reference, run.outputs, options, result.report);
  }
  if (options.against) compare_with(*options.against, trial, *reference, run.outputs, options, result);
  const bool is_unseen = trial.planted.fault != nullptr && result.report.verdict == Verdict::passed;
  if (is_unseen) say_unseen(trial, c, *reference, run.outputs, options, result.report);
}

void conclude_fault(Report& report, const RankError& error) {
  conclude(report, error);
  report.where = Place{.check = error.kind == ErrorKind::broken_kernel ? "plugin" : "transport",
                       .rank = error.rank,
                       .step = error.step,
                       .kv_block = kv_block_of(error.slice)};
}

void verify_trial(const Plan& plan, const Case& c, References& references, const VerifyOptions& options,
                  Verified& result) {
  auto planted = plant(plan, c.fault, c.seed);
  if (!planted) {
    const std::string why = why_no_site(*find_fault(c.fault.name), plan, c.fault);
    return conclude(result.report, Verdict::skipped, "fault does not apply: " + why);
  }
  const Trial trial{plan, std::move(*planted)};
  if (!prove_trial(trial, options, result.report) && options.unproved == Unproved::refuse) return;
  run_trial(trial, c, references, options, result);
}

// Runs `body`, and turns what it throws into a verdict.
template <class Body>
Verified concluded(std::string line, const Body& body) {
  Verified result;
  result.report.case_line = std::move(line);
  const auto begin = std::chrono::steady_clock::now();
  try {
    body(result);
  } catch (const RankError& error) {
    conclude_fault(result.report, error);
  } catch (const Error& error) {
    conclude(result.report, error);
    if (error.kind == ErrorKind::broken_kernel) result.report.where = Place{.check = "plugin"};
  } catch (const std::bad_alloc&) {
    conclude(result.report, Verdict::invalid, "too large: the case needs more memory than there is");
  } catch (const std::system_error& error) {
    conclude(result.report, Verdict::invalid, std::string("too large for this machine: ") + error.what());
  }
  result.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace

Verified verify(const Case& c, References& references, const VerifyOptions& options) {
  return concluded(to_line(c), [&](Verified& result) {
    require_room(footprint_of_verify(c.problem), options.free_bytes);
    tell_stage(options, "plan");
    verify_trial(make_plan(c.problem, c.recipe, {options.free_bytes}), c, references, options, result);
  });
}

Verified verify_plan(const Plan& plan, const Case& c, std::string line, References& references,
                     const VerifyOptions& options) {
  return concluded(std::move(line), [&](Verified& result) {
    require_room(footprint_of_verify(plan.problem), options.free_bytes);
    verify_trial(plan, c, references, options, result);
  });
}

}  // namespace ringscope
