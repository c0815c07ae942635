#include "tools/progress.h"

#include <fmt/format.h>

#include "tools/terminal.h"

namespace ringscope {

namespace {

constexpr auto between_drawings = std::chrono::milliseconds(200);
constexpr std::size_t least_for_an_estimate = 3;  // jobs: the first ones are slower
constexpr double long_seconds = 2;                // a case that takes longer is told of by its stage, also among many

double seconds_between(Doing::Clock::time_point a, Doing::Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

// "30 s", "25 min", "3 h"
std::string time_in_words(double seconds) {
  constexpr double minute = 60, hour = 3600;
  if (seconds < 10 * minute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  return fmt::format("{:.0f} h", seconds / hour);
}

}  // namespace

std::string in_words(const Doing& doing, Doing::Clock::time_point now) {
  constexpr double least = 0.01, patience_seconds = 5;  // the first steps are slower, and tell little of the others
  const double seconds = seconds_between(doing.since, now), done = doing.done.value_or(0);
  const bool is_early = done < least && seconds < patience_seconds;
  if (done <= 0 || is_early) return fmt::format("{}, {} so far", doing.stage, time_in_words(seconds));
  return fmt::format("{} {:.0f} %, about {} left", doing.stage, 100 * done, time_in_words(seconds / done - seconds));
}

Progress::Progress() : visible_(is_terminal(stderr)), begin_(Clock::now()), last_drawn_(begin_) {}

Progress::~Progress() {
  clear();
}

void Progress::begin(std::size_t jobs) {
  jobs_ = jobs;
  first_job_ = Clock::now();
}

void Progress::tell(std::string_view stage, std::optional<double> done) {
  const auto now = Clock::now();
  const bool is_new = beside_.stage != stage;
  if (is_new) beside_ = {stage, done, now};
  beside_.done = done;
  if (is_new) last_drawn_ = {};  // at once: some stages tell no more
  draw(in_words(beside_, now));
}

void Progress::wait(const Summary& so_far, const Doing& doing) {
  const auto now = Clock::now();
  if (jobs_ == 1) return doing.stage.empty() ? void() : draw(in_words(doing, now));
  std::string words = fmt::format("{} of {}, {} passed", done_, jobs_, so_far.passed);
  if (done_ >= least_for_an_estimate) {
    const double left =
        seconds_between(first_job_, now) / static_cast<double>(done_) * static_cast<double>(jobs_ - done_);
    words += fmt::format(", about {:.0f} s left", left);
  }
  const bool is_long = !doing.stage.empty() && seconds_between(doing.since, now) > long_seconds;
  if (is_long) words += fmt::format("; case {}: {}", done_ + 1, in_words(doing, now));
  draw(words);
}

void Progress::step() {
  ++done_;
}

void Progress::draw(const std::string& words) {
  const auto now = Clock::now();
  if (!visible_ || now - last_drawn_ < between_drawings) return;
  last_drawn_ = now;
  drawn_ = true;
  fmt::print(stderr, "\r\x1b[K{}", words.substr(0, 78));
  std::fflush(stderr);
}

void Progress::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

double Progress::seconds() const {
  return seconds_between(begin_, Clock::now());
}

Ticker::Ticker(std::string_view stage) {
  if (!progress_.is_visible()) return;
  thread_ = std::jthread([this, stage] {
    std::unique_lock lock(mutex_);
    while (!over_.wait_for(lock, 2 * between_drawings, [this] { return is_over_; })) {
      progress_.tell(stage, done_);
    }
  });
}

Ticker::~Ticker() {
  const std::lock_guard lock(mutex_);
  is_over_ = true;
  over_.notify_all();
}

}  // namespace ringscope
