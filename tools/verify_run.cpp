#include "tools/verify_run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/footprint.h"

namespace ringscope {

namespace {

Verified run_job(const VerifyJob& job, References& references, const VerifyOptions& options) {
  if (!job.c) {
    Verified refused;
    refused.report.case_line = job.line;
    refused.report.verdict = Verdict::invalid;
    refused.report.reason = job.refusal;
    return refused;
  }
  if (job.plan != nullptr) return verify_plan(*job.plan, *job.c, job.line, references, options);
  return verify(*job.c, references, options);
}

// Cases that do not fit into memory side by side run one after another.
class Room {
 public:
  explicit Room(double free_bytes) : free_bytes_(free_bytes) {}

  class Stay {
   public:
    Stay(Room& room, double bytes) : room_(room), bytes_(bytes) { room_.enter(bytes_); }
    ~Stay() { room_.leave(bytes_); }
    Stay(const Stay&) = delete;
    Stay& operator=(const Stay&) = delete;

   private:
    Room& room_;
    double bytes_;
  };

 private:
  void enter(double bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return free_bytes_ == 0 || used_ == 0 || used_ + bytes <= free_bytes_; });
    used_ += bytes;
  }
  void leave(double bytes) {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    changed_.notify_all();
  }

  double free_bytes_, used_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

class Pool {
 public:
  Pool(std::span<const VerifyJob> jobs, const VerifyOptions& options, const JobsOnlooker& onlooker)
      : jobs_(jobs),
        options_(options),
        onlooker_(onlooker),
        room_(options.free_bytes),
        results_(jobs.size()),
        doing_(onlooker.wants_stages ? jobs.size() : 0) {}

  void run(int threads) {
    std::vector<std::jthread> workers;
    for (int n = 0; n < threads; ++n) workers.emplace_back([this] { work(); });
    try {
      for (std::size_t i = 0; i < jobs_.size(); ++i) onlooker_.take(jobs_[i], result(i));
    } catch (...) {
      next_ = jobs_.size();  // the workers stop after what they are at
      throw;
    }
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < jobs_.size(); i = next_++) {
      try {
        const Room::Stay stay(room_, jobs_[i].c ? footprint_of_verify(jobs_[i].c->problem).total() : 0);
        publish(i, run_job(jobs_[i], references_, options_of(i)));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        broken_ = std::current_exception();
        ready_.notify_all();
        return;
      }
    }
  }

  VerifyOptions options_of(std::size_t i) {
    VerifyOptions own = options_;
    if (!onlooker_.wants_stages) return own;
    own.tell = [this, i](std::string_view stage, std::optional<double> done) {
      const std::lock_guard lock(mutex_);
      if (doing_[i].stage != stage) doing_[i] = {stage, done};
      doing_[i].done = done;
    };
    return own;
  }

  void publish(std::size_t i, Verified result) {
    const std::lock_guard lock(mutex_);
    results_[i] = std::move(result);
    ready_.notify_all();
  }

  Verified result(std::size_t i) {
    std::unique_lock lock(mutex_);
    const auto is_there = [&] { return results_[i].has_value() || broken_ != nullptr; };
    while (!ready_.wait_for(lock, std::chrono::milliseconds(100), is_there)) {
      const Doing doing = doing_.empty() ? Doing{} : doing_[i];
      lock.unlock();
      if (onlooker_.wait) onlooker_.wait(doing);
      lock.lock();
    }
    if (!results_[i]) std::rethrow_exception(broken_);
    Verified out = std::move(*results_[i]);
    results_[i].reset();
    return out;
  }

  std::span<const VerifyJob> jobs_;
  const VerifyOptions& options_;
  const JobsOnlooker& onlooker_;
  References references_;
  Room room_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<std::optional<Verified>> results_;
  std::vector<Doing> doing_;  // [job], where stages are wanted
  std::exception_ptr broken_;
};

}  // namespace

void run_jobs(std::span<const VerifyJob> jobs, int threads, const VerifyOptions& options,
              const JobsOnlooker& onlooker) {
  Pool(jobs, options, onlooker).run(std::clamp(threads, 1, static_cast<int>(std::max<std::size_t>(jobs.size(), 1))));
}

}  // namespace ringscope
