// `ringscope verify --report`: verdicts by recipe, and each case that did not pass, on one page.
#pragma once
#include <string>
#include <vector>

#include "tools/verify_jobs.h"
#include "tools/verify_print.h"

namespace ringscope {

class VerifyPage {
 public:
  void add(const VerifyJob& job, const Report& report);
  // Runs the first failures again for their error maps.
  std::string html(const Tally& tally) const;

 private:
  struct Failure {
    VerifyJob job;
    Report report;
  };
  std::vector<Failure> failures_;
  std::int64_t more_ = 0;  // beyond those that a page holds
};

}  // namespace ringscope
