#include "core/faults/transport.h"

#include <utility>
#include <vector>

#include "core/rank_error.h"

namespace ringscope {

namespace {

// What one rank does at the faulty step instead of inner.post(posting).
struct Fault {
  const Plan& plan;
  FaultSite site;
  double deadline_seconds = 0;
  void (*post)(const Fault& fault, const Posting& posting, RankRun& inner) = nullptr;
};

void die(const Fault& fault, const Posting&, RankRun&) {
  const FaultSite& site = fault.site;
  throw RankError(ErrorKind::fault, site.rank, site.step, activity_of(fault.plan.schedule, site.rank, site.step),
                  "the rank died", "every rank to the end", "it was killed on purpose");
}

void lose(const Fault& fault, const Posting& posting, RankRun& inner) {
  std::vector<std::int64_t> sends(posting.sends.begin(), posting.sends.end());
  std::erase(sends, fault.site.item);
  inner.post({posting.step, sends, posting.receives});
}

// Far longer than the deadline, which must end the run; not for ever, should it fail to.
void stall(const Fault& fault, const Posting& posting, RankRun& inner) {
  inner.post(posting);
  inner.pause(10 * fault.deadline_seconds);
}

class FaultyRun : public RankRun {
 public:
  FaultyRun(RankRun& inner, const Fault& fault) : inner_(inner), fault_(fault) {}

  void upload(const Inputs& inputs) override { inner_.upload(inputs); }
  void post(const Posting& posting) override {
    if (posting.step == fault_.site.step) {
      fault_.post(fault_, posting, inner_);
    } else {
      inner_.post(posting);
    }
  }
  void attend(std::int64_t attend_index) override { inner_.attend(attend_index); }
  void finish(std::int64_t finish_index) override { inner_.finish(finish_index); }
  void finish_step(int step) override { inner_.finish_step(step); }
  void wait(double deadline_seconds) override { inner_.wait(deadline_seconds); }
  void download(Outputs& outputs) const override { inner_.download(outputs); }
  Snapshot snapshot(int step) const override { return inner_.snapshot(step); }
  std::vector<double> sink_gradient() const override { return inner_.sink_gradient(); }
  void pause(double seconds) override { inner_.pause(seconds); }

 private:
  RankRun& inner_;
  const Fault& fault_;
};

class FaultySession : public Session {
 public:
  FaultySession(std::unique_ptr<Session> inner, Fault fault) : inner_(std::move(inner)), fault_(std::move(fault)) {}

  void for_each_rank(const std::function<void(int rank, RankRun& run)>& drive) override {
    inner_->for_each_rank([&](int rank, RankRun& run) {
      if (rank != fault_.site.rank) return drive(rank, run);
      FaultyRun faulty(run, fault_);
      drive(rank, faulty);
    });
  }
  Trace trace() const override { return inner_->trace(); }
  std::vector<RowEvent> row_events() const override { return inner_->row_events(); }
  std::vector<std::int64_t> peak_bytes() const override { return inner_->peak_bytes(); }

 private:
  std::unique_ptr<Session> inner_;
  Fault fault_;
};

using Post = decltype(Fault::post);

Post post_of(const FaultKind& kind) {
  constexpr std::pair<std::string_view, Post> posts[] = {{"kill", die}, {"drop-message", lose}, {"stall", stall}};
  for (const auto& [name, post] : posts) {
    if (name == kind.name) return post;
  }
  throw Error(ErrorKind::bad_request, "fault " + std::string(kind.name), "a fault of the world",
              "faults of a schedule damage the plan, not the backend");
}

class FaultyBackend : public Backend {
 public:
  FaultyBackend(std::unique_ptr<Backend> inner, Post post, FaultSite site)
      : inner_(std::move(inner)), post_(post), site_(std::move(site)) {}

  BackendInfo info() const override { return inner_->info(); }
  Support supports(const Problem& problem, const Schedule& schedule) const override {
    return inner_->supports(problem, schedule);
  }
  std::unique_ptr<Session> open(const Plan& plan, const RunOptions& options) override {
    return std::make_unique<FaultySession>(inner_->open(plan, options),
                                           Fault{plan, site_, options.deadline_seconds, post_});
  }

 private:
  std::unique_ptr<Backend> inner_;
  Post post_;
  FaultSite site_;
};

}  // namespace

std::unique_ptr<Backend> with_fault(std::unique_ptr<Backend> inner, const FaultKind& kind, const FaultSite& site) {
  return std::make_unique<FaultyBackend>(std::move(inner), post_of(kind), site);
}

}  // namespace ringscope
