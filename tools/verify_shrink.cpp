#include "tools/verify_shrink.h"

#include <algorithm>

#include "core/shrink.h"

namespace ringscope {

namespace {

// A run that ends by a fault may have waited for its deadline.
constexpr int tries_of_faults = 60;

}  // namespace

Shrinker::Shrinker(const VerifyArguments& arguments, const VerifyOptions& options)
    : arguments_(arguments), options_(options) {}

std::optional<Shrunk> Shrinker::shrink(const VerifyJob& job, const Report& report) {
  const bool is_asked = arguments_.shrink || !arguments_.random.empty();
  if (!is_asked || !job.c || job.plan != nullptr || !is_failure(report.verdict) || !is_new(report)) return std::nullopt;
  References references;
  Shrunk shrunk;
  const auto still_fails = [&](const Case& c) {
    ++shrunk.tries;
    return is_same_failure(verify(c, references, options_).report, report);
  };
  const Case smallest =
      ringscope::shrink(*job.c, still_fails, report.verdict == Verdict::faulted ? tries_of_faults : usual_tries);
  shrunk.job = make_job(smallest, arguments_);
  shrunk.result = verify(smallest, references, options_);
  return shrunk;
}

bool Shrinker::is_new(const Report& report) {
  const bool seen =
      std::any_of(seen_.begin(), seen_.end(), [&](const Report& other) { return is_same_failure(report, other); });
  if (!seen) seen_.push_back(report);
  return !seen;
}

}  // namespace ringscope
