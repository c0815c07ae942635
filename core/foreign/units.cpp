#include "core/foreign/units.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace ringscope {

namespace {

class Crew {
 public:
  Crew(std::int64_t units, const std::function<void(std::int64_t)>& work) : units_(units), work_(work) {}

  void run(int threads, const std::function<void()>& meanwhile) {
    {
      std::vector<std::jthread> crew;
      busy_ = threads;
      for (int n = 0; n < threads; ++n) crew.emplace_back([this] { labour(); });
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, std::chrono::milliseconds(200), [this] { return busy_ == 0; })) {
        if (meanwhile) meanwhile();
      }
    }
    if (broken_) std::rethrow_exception(broken_);
  }

 private:
  void labour() {
    try {
      for (std::int64_t unit = next_++; unit < units_; unit = next_++) work_(unit);
    } catch (...) {
      next_ = units_;
      const std::lock_guard lock(mutex_);
      if (!broken_) broken_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    --busy_;
    ended_.notify_all();
  }

  std::int64_t units_;
  const std::function<void(std::int64_t)>& work_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable ended_;
  int busy_ = 0;
  std::exception_ptr broken_;
};

}  // namespace

int all_threads() {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

void for_each_unit(std::int64_t units, int threads, const std::function<void(std::int64_t unit)>& work,
                   const std::function<void()>& meanwhile) {
  const auto useful = std::min<std::int64_t>(std::max(threads, 1), units);
  if (useful > 0) Crew(units, work).run(static_cast<int>(useful), meanwhile);
}

}  // namespace ringscope
