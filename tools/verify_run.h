// Runs verify's jobs on several threads and hands the results over in the order of the jobs.
#pragma once
#include <functional>
#include <span>

#include "core/verify.h"
#include "tools/verify_jobs.h"

namespace ringscope {

using TakeResult = std::function<void(const VerifyJob& job, const Verified& result)>;

// `take` is called on the calling thread alone.
void run_jobs(std::span<const VerifyJob> jobs, int threads, const VerifyOptions& options, const TakeResult& take);

}  // namespace ringscope
