// What long work shows meanwhile: one line on stderr that is drawn over; nothing unless stderr is a
// terminal.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "core/report.h"
#include "core/watch.h"

namespace ringscope {

// What one case is at.
struct Doing {
  using Clock = std::chrono::steady_clock;
  std::string_view stage;  // empty: nothing yet
  std::optional<double> done;
  Clock::time_point since = Clock::now();
};
// "oracle 34 %, about 12 s left", or "proof, 3 s so far"
std::string in_words(const Doing& doing, Doing::Clock::time_point now);

class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool is_visible() const { return visible_; }
  void begin(std::size_t jobs);
  void tell(std::string_view stage, std::optional<double> done);  // before there are jobs, or beside them
  void wait(const Summary& so_far, const Doing& doing);           // for the next job
  void step();                                                    // a job is done
  void clear();                                                   // before something else is printed
  double seconds() const;

 private:
  using Clock = Doing::Clock;
  void draw(const std::string& words);

  std::size_t jobs_ = 0, done_ = 0;
  bool visible_, drawn_ = false;
  Doing beside_;
  Clock::time_point begin_, first_job_, last_drawn_;
};

// While one lives, it shows how long work takes that tells nothing itself, or less often than people look.
class Ticker {
 public:
  explicit Ticker(std::string_view stage);
  ~Ticker();
  TellDone teller() {
    return [this](double done) { done_ = done; };
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  Progress progress_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::atomic<double> done_ = 0;
  std::jthread thread_;  // none unless stderr is a terminal
};

}  // namespace ringscope
