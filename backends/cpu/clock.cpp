#include "backends/cpu/clock.h"

#include <chrono>
#include <cmath>

namespace ringscope::cpu {

namespace {

using Steady = std::chrono::steady_clock;

double steady_seconds() {
  return std::chrono::duration<double>(Steady::now().time_since_epoch()).count();
}

}  // namespace

RealClock::RealClock() : start_seconds_(steady_seconds()) {}

double RealClock::now_seconds() const {
  return steady_seconds() - start_seconds_;
}

void RealClock::wait(std::condition_variable& signal, std::unique_lock<std::mutex>& lock, double until_seconds) {
  if (std::isinf(until_seconds)) {
    signal.wait(lock);
    return;
  }
  signal.wait_for(lock, std::chrono::duration<double>(until_seconds - now_seconds()));
}

}  // namespace ringscope::cpu
