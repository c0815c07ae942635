// The one loop over a schedule.
#pragma once
#include "core/backend.h"
#include "core/data.h"
#include "core/run_log.h"

namespace ringscope {

struct RunResult {
  Outputs outputs;
  Trace trace;
  RunLog log;                            // filled as far as options.record asks
  std::vector<std::int64_t> peak_bytes;  // [rank]
  double seconds = 0;
};

// Runs a proved plan. Throws Error(fault) when a rank dies, a message is lost or nothing moves until the deadline, and
// Error(unsupported) when the backend says no.
RunResult execute(Backend& backend, const Plan& plan, const Inputs& inputs, const RunOptions& options = {});

}  // namespace ringscope
