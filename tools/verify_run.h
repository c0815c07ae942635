// Runs verify's jobs on several threads and hands the results over in the order of the jobs.
#pragma once
#include <functional>
#include <span>

#include "core/verify.h"
#include "tools/progress.h"
#include "tools/verify_jobs.h"

namespace ringscope {

// Called on the calling thread alone.
struct JobsOnlooker {
  std::function<void(const VerifyJob& job, const Verified& result)> take;
  std::function<void(const Doing& doing)> wait;  // ten times a second, while the next job in order is not done
  bool wants_stages = false;                     // of that job
};

void run_jobs(std::span<const VerifyJob> jobs, int threads, const VerifyOptions& options, const JobsOnlooker& onlooker);

}  // namespace ringscope
