// Time as the ranks see it: real, or virtual so that tests of deadlines need no waiting.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>

namespace ringscope::cpu {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual double now_seconds() const = 0;
  // Waits for the signal, at most until `until_seconds` (may be infinity); may wake early.
  virtual void wait(std::condition_variable& signal, std::unique_lock<std::mutex>& lock, double until_seconds) = 0;
  // Called when every thread is blocked: lets the time until then pass at once, if this clock can.
  virtual bool jump_to(double seconds) = 0;
};

// Seconds since its construction.
class RealClock : public Clock {
 public:
  RealClock();
  double now_seconds() const override;
  void wait(std::condition_variable& signal, std::unique_lock<std::mutex>& lock, double until_seconds) override;
  bool jump_to(double) override { return false; }

 private:
  double start_seconds_;
};

// Stands still while any thread runs.
class VirtualClock : public Clock {
 public:
  double now_seconds() const override { return now_; }
  void wait(std::condition_variable& signal, std::unique_lock<std::mutex>& lock, double) override { signal.wait(lock); }
  bool jump_to(double seconds) override {
    now_ = seconds;
    return true;
  }

 private:
  std::atomic<double> now_ = 0;
};

}  // namespace ringscope::cpu
