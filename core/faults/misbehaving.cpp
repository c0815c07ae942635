#include "core/faults/misbehaving.h"

#include <mutex>
#include <utility>

namespace ringscope {

namespace {

// Remembers where the outputs lie.
class WatchedRun : public RankRun {
 public:
  WatchedRun(RankRun& inner, std::function<void(Outputs&)> downloaded)
      : inner_(inner), downloaded_(std::move(downloaded)) {}

  void upload(const Inputs& inputs) override { inner_.upload(inputs); }
  void post(const Posting& posting) override { inner_.post(posting); }
  void attend(std::int64_t attend_index) override { inner_.attend(attend_index); }
  void finish(std::int64_t finish_index) override { inner_.finish(finish_index); }
  void finish_step(int step) override { inner_.finish_step(step); }
  void wait(double deadline_seconds) override { inner_.wait(deadline_seconds); }
  void download(Outputs& outputs) const override {
    inner_.download(outputs);
    downloaded_(outputs);
  }
  Snapshot snapshot(int step) const override { return inner_.snapshot(step); }
  std::vector<double> sink_gradient() const override { return inner_.sink_gradient(); }
  void pause(double seconds) override { inner_.pause(seconds); }

 private:
  RankRun& inner_;
  std::function<void(Outputs&)> downloaded_;
};

class MisbehavingSession : public Session {
 public:
  MisbehavingSession(std::unique_ptr<Session> inner, const Plan& plan, const Mishap& mishap)
      : inner_(std::move(inner)), plan_(plan), mishap_(mishap) {}

  void for_each_rank(const std::function<void(int rank, RankRun& run)>& drive) override {
    if (!mishap_.came_home) return inner_->for_each_rank(drive);
    std::mutex guard;
    Outputs* outputs = nullptr;
    inner_->for_each_rank([&](int rank, RankRun& run) {
      WatchedRun watched(run, [&](Outputs& written) {
        const std::scoped_lock lock(guard);
        outputs = &written;
      });
      drive(rank, watched);
    });
    if (outputs != nullptr) mishap_.came_home(plan_, mishap_.rank, *outputs);
  }
  Trace trace() const override { return inner_->trace(); }
  std::vector<RowEvent> row_events() const override { return inner_->row_events(); }
  std::vector<std::int64_t> peak_bytes() const override { return inner_->peak_bytes(); }

 private:
  std::unique_ptr<Session> inner_;
  const Plan& plan_;
  const Mishap& mishap_;
};

class MisbehavingBackend : public Backend {
 public:
  MisbehavingBackend(std::unique_ptr<Backend> inner, Mishap mishap)
      : inner_(std::move(inner)), mishap_(std::make_shared<const Mishap>(std::move(mishap))) {}

  BackendInfo info() const override { return inner_->info(); }
  Support supports(const Problem& problem, const Schedule& schedule) const override {
    if (!inner_->can_misbehave()) return {false, inner_->info().name + " cannot compute wrongly on purpose"};
    return inner_->supports(problem, schedule);
  }
  bool can_misbehave() const override { return inner_->can_misbehave(); }
  std::unique_ptr<Session> open(const Plan& plan, const RunOptions& options) override {
    RunOptions wrong = options;
    wrong.mishap = mishap_;
    return std::make_unique<MisbehavingSession>(inner_->open(plan, wrong), plan, *mishap_);
  }

 private:
  std::unique_ptr<Backend> inner_;
  std::shared_ptr<const Mishap> mishap_;
};

}  // namespace

std::unique_ptr<Backend> misbehaving(std::unique_ptr<Backend> inner, Mishap mishap, const FaultSite& site) {
  mishap.rank = site.rank;
  mishap.step = site.step;
  return std::make_unique<MisbehavingBackend>(std::move(inner), std::move(mishap));
}

}  // namespace ringscope
