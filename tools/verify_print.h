// What `ringscope verify` tells people: reports, a summary.
#pragma once
#include <map>
#include <string>

#include "core/report.h"
#include "core/ulps.h"
#include "core/verify.h"
#include "tools/verify_jobs.h"
#include "tools/verify_shrink.h"

namespace ringscope {

// "passed  b1 h4 ...  0.02 s"
void print_verdict(const Report& report);
// All that is known of a run that did not pass, and the line that repeats it; printed below its verdict and case line.
std::string report_text(const Report& report, const std::string& repeat);
void print_report(const Report& report, const std::string& repeat);
// "failed  b1 h4 ...  by check baseline, o[batch 0, head 1, row 2]"
void print_in_short(const Report& report);
// The report of the smallest case that fails like `line`, and how it was found.
void print_shrunk(const Shrunk& shrunk, const std::string& line);
void print_agreement(const Agreement& agreement, const std::string& against);

// By verdict and recipe.
class Tally {
 public:
  void add(const VerifyJob& job, const Report& report);
  void expect(std::size_t jobs) { jobs_ = jobs; }
  const Summary& all() const { return all_; }
  std::string so_far() const;  // "12 of 150 cases done, 11 passed, 1 did not"
  void print(double seconds) const;
  std::string table_text() const;  // recipes down, verdicts across
  std::string in_words() const;    // "11 passed, 1 did not, 3 skipped"

 private:
  std::size_t jobs_ = 0;
  Summary all_;
  std::map<std::string, Summary> by_schedule_;
};

}  // namespace ringscope
