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

std::optional<Shrunk> Shrinker::shrink(const VerifyJob& job, const Verified& result) {
  const Verdict verdict = result.report.verdict;
  const bool is_asked = arguments_.shrink || !arguments_.random.empty();
  const bool is_case = job.c.has_value() && job.plan == nullptr;
  if (!is_asked || !is_case || !is_failure(verdict) || !is_new(result.report)) return std::nullopt;
  References references;
  // Every case that still fails is smaller than those before: the last one's result is the smallest one's, even where a
  // failure does not come back each time.
  Shrunk shrunk{.result = result};
  Report diagnosed = result.report;
  const auto still_fails = [&](const Case& c) {
    ++shrunk.tries;
    Verified tried = verify(c, references, options_);
    if (!is_same_failure(tried.report, result.report)) return false;
    if (!diagnosed.diagnosed) diagnosed = tried.report;
    shrunk.result = std::move(tried);
    return true;
  };
  const int most_tries = verdict == Verdict::faulted ? tries_of_faults : usual_tries;
  shrunk.job = make_job(ringscope::shrink(*job.c, still_fails, most_tries), arguments_);
  shrunk.result.report.diagnosed = diagnosed.diagnosed;
  shrunk.result.report.diagnosis = diagnosed.diagnosis;
  if (diagnosed.diagnosed) shrunk.diagnosed_in = diagnosed.case_line;
  return shrunk;
}

bool Shrinker::is_new(const Report& report) {
  const bool seen =
      std::any_of(seen_.begin(), seen_.end(), [&](const Report& other) { return is_same_failure(report, other); });
  if (!seen) seen_.push_back(report);
  return !seen;
}

}  // namespace ringscope
