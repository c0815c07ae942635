#include "tools/verify_teller.h"

#include <fmt/format.h>

#include "tools/verify_print.h"

namespace ringscope {

namespace {

constexpr std::int64_t full_reports = 5;  // of many, so many failures are told at length
constexpr std::size_t most_reasons = 8;   // for skipping

}  // namespace

Teller::Teller(std::size_t jobs, std::string against) : one_by_one_(jobs <= few_jobs), against_(std::move(against)) {}

bool Teller::speaks_of(const Report& report) const {
  return one_by_one_ || (report.verdict != Verdict::passed && report.verdict != Verdict::skipped);
}

void Teller::tell(const VerifyJob& job, const Verified& result, const std::optional<Shrunk>& shrunk) {
  if (shrunk) return print_shrunk(*shrunk, job.line);
  if (result.report.verdict != Verdict::passed) {
    tell_failure(job, result.report);
  } else if (one_by_one_) {
    print_verdict(result.report);
  }
  if (result.agreement && speaks_of(result.report)) print_agreement(*result.agreement, against_);
}

void Teller::tell_failure(const VerifyJob& job, const Report& report) {
  if (one_by_one_) return print_report(report, job.repeat);
  if (report.verdict == Verdict::skipped) return static_cast<void>(++skipped_[report.reason]);
  if (++told_ <= full_reports) return print_report(report, job.repeat);
  ++in_short_;
  print_in_short(report);
}

void Teller::end() const {
  if (in_short_ > 0) fmt::print("\n{} more did not pass, told in one line each; all of each is in --json\n", in_short_);
  if (!skipped_.empty()) fmt::print("\n");
  std::size_t reasons = 0;
  for (const auto& [reason, count] : skipped_) {
    if (reasons++ < most_reasons) fmt::print("{} skipped: {}\n", count, reason);
  }
  if (reasons > most_reasons) fmt::print("others were skipped for other reasons: see --json\n");
}

}  // namespace ringscope
