#include "tools/verify_run.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

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

class Pool {
 public:
  Pool(std::span<const VerifyJob> jobs, const VerifyOptions& options)
      : jobs_(jobs), options_(options), results_(jobs.size()) {}

  void run(int threads, const TakeResult& take) {
    std::vector<std::jthread> workers;
    for (int n = 0; n < threads; ++n) workers.emplace_back([this] { work(); });
    try {
      for (std::size_t i = 0; i < jobs_.size(); ++i) take(jobs_[i], result(i));
    } catch (...) {
      next_ = jobs_.size();  // the workers stop after what they are at
      throw;
    }
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < jobs_.size(); i = next_++) {
      try {
        publish(i, run_job(jobs_[i], references_, options_));
      } catch (...) {
        const std::lock_guard lock(mutex_);
        broken_ = std::current_exception();
        ready_.notify_all();
        return;
      }
    }
  }

  void publish(std::size_t i, Verified result) {
    const std::lock_guard lock(mutex_);
    results_[i] = std::move(result);
    ready_.notify_all();
  }

  Verified result(std::size_t i) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return results_[i].has_value() || broken_ != nullptr; });
    if (!results_[i]) std::rethrow_exception(broken_);
    Verified out = std::move(*results_[i]);
    results_[i].reset();
    return out;
  }

  std::span<const VerifyJob> jobs_;
  const VerifyOptions& options_;
  References references_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<std::optional<Verified>> results_;
  std::exception_ptr broken_;
};

}  // namespace

void run_jobs(std::span<const VerifyJob> jobs, int threads, const VerifyOptions& options, const TakeResult& take) {
  Pool(jobs, options).run(std::clamp(threads, 1, static_cast<int>(std::max<std::size_t>(jobs.size(), 1))), take);
}

}  // namespace ringscope
