// One case from its line to its report: plan, prove, run, compare.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/backend.h"
#include "core/case.h"
#include "core/references.h"
#include "core/report.h"
#include "core/ulps.h"

namespace ringscope {

// Throws Error(bad_request) for a name nobody knows, Error(unsupported) for one that this build lacks.
using BackendFactory = std::function<std::unique_ptr<Backend>(const BackendChoice&)>;

enum class Unproved : std::uint8_t { refuse, run };       // what to do with a plan that the proof refuses
enum class Wanted : std::uint8_t { figures, same_bits };  // of two backends

struct VerifyOptions {
  BackendFactory make_backend;
  std::optional<BackendChoice> against;  // a second backend, compared with the first
  Wanted wanted = Wanted::figures;
  Unproved unproved = Unproved::refuse;
  double most_to_diagnose = 0;  // multiply-adds of a full forward, above which a failure is not diagnosed
  double free_bytes = 0;        // of memory: what needs more is invalid; 0: nobody knows
  int cores = 0;                // for one case; 0: all
  TellStage tell;               // plan, proof, oracle, run, comparison
  // Without progress anywhere; absent: 30, or 0.25 where a fault of the world is planted and will be waited for.
  std::optional<double> deadline_seconds;
};

struct Verified {
  Report report;
  std::optional<Agreement> agreement;  // with options.against
};

// Every Error becomes a verdict: invalid, skipped, failed or faulted.
Verified verify(const Case& c, References& references, const VerifyOptions& options);
// A plan that came from elsewhere; `c` names its problem, backend and data, and `line` stands in the report.
Verified verify_plan(const Plan& plan, const Case& c, std::string line, References& references,
                     const VerifyOptions& options);

}  // namespace ringscope
