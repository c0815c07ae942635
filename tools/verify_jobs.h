// What `ringscope verify` is asked to run: its arguments as a list of jobs.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/plan.h"
#include "core/report.h"
#include "core/watch.h"

namespace ringscope {

// As typed; absent flags are empty.
struct VerifyArguments {
  std::vector<std::string> cases;
  std::string file, schedule, suite, random, seed, filter, backend, against, fault, jobs, deadline, report;
  bool bitwise = false, json = false, unproved = false, shrink = false;
};

struct VerifyJob {
  std::string line;  // as the report shows it
  std::optional<Case> c;
  std::string refusal;               // why there is no case
  std::shared_ptr<const Plan> plan;  // of --schedule; else the case's own
  std::string schedule;              // for the summary
  std::string repeat;                // the arguments that repeat this run alone
};

// Throws Error for arguments that mean nothing; a line that is no valid case becomes a job with a refusal.
std::vector<VerifyJob> make_jobs(const VerifyArguments& arguments, const TellStage& tell = {});
// The run of one case, with the arguments that mean something for all cases.
VerifyJob make_job(const Case& c, const VerifyArguments& arguments);
// "cpu:bitwise threads=2" as in a case's backend field.
BackendChoice parse_backend(const std::string& words);

}  // namespace ringscope
