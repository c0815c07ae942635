// What `ringscope verify` tells people: progress, reports, a summary.
#pragma once
#include <chrono>
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
// All that is known of a run that did not pass, and the line that repeats it.
void print_report(const Report& report, const std::string& repeat);
// The report of the smallest case that fails like `line`, and how it was found.
void print_shrunk(const Shrunk& shrunk, const std::string& line);
void print_agreement(const Agreement& agreement, const std::string& against);

// By verdict and recipe.
class Tally {
 public:
  void add(const VerifyJob& job, const Report& report);
  const Summary& all() const { return all_; }
  void print(double seconds) const;

 private:
  Summary all_;
  std::map<std::string, Summary> by_schedule_;
};

// One line on stderr that is written over; nothing unless stderr is a terminal.
class Progress {
 public:
  explicit Progress(std::size_t jobs);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(const Summary& so_far);
  void clear();  // before something else is printed
  double seconds() const;

 private:
  std::size_t jobs_, done_ = 0;
  bool visible_, drawn_ = false;
  std::chrono::steady_clock::time_point begin_, last_drawn_;
};

}  // namespace ringscope
