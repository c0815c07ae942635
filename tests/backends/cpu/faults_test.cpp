// Faults of the world: every rank returns the same first error, with rank, step and slice; nothing ever hangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <stdexcept>

#include "core/faults/transport.h"
#include "core/rank_error.h"
#include "tests/backends/cpu/run_case.h"

namespace ringscope::cpu {
namespace {

// What each rank's own loop threw.
struct Thrown {
  std::mutex mutex;
  std::vector<std::string> sentences;
};

class WatchedSession : public Session {
 public:
  WatchedSession(std::unique_ptr<Session> inner, Thrown& thrown) : inner_(std::move(inner)), thrown_(thrown) {}
  void for_each_rank(const std::function<void(int rank, RankRun& run)>& drive) override {
    inner_->for_each_rank([&](int rank, RankRun& run) {
      try {
        drive(rank, run);
      } catch (const Error& e) {
        const std::scoped_lock lock(thrown_.mutex);
        thrown_.sentences.emplace_back(e.what());
        throw;
      }
    });
  }
  Trace trace() const override { return inner_->trace(); }
  std::vector<RowEvent> row_events() const override { return inner_->row_events(); }
  std::vector<std::int64_t> peak_bytes() const override { return inner_->peak_bytes(); }

 private:
  std::unique_ptr<Session> inner_;
  Thrown& thrown_;
};

class WatchedBackend : public Backend {
 public:
  WatchedBackend(std::unique_ptr<Backend> inner, Thrown& thrown) : inner_(std::move(inner)), thrown_(thrown) {}
  BackendInfo info() const override { return inner_->info(); }
  Support supports(const Problem& p, const Schedule& s) const override { return inner_->supports(p, s); }
  std::unique_ptr<Session> open(const Plan& plan, const RunOptions& options) override {
    return std::make_unique<WatchedSession>(inner_->open(plan, options), thrown_);
  }

 private:
  std::unique_ptr<Backend> inner_;
  Thrown& thrown_;
};

CpuOptions virtual_time() {
  return {.clock = std::make_shared<VirtualClock>()};
}

const FaultKind& fault(std::string_view name) {
  const FaultKind* kind = find_fault(name);
  EXPECT_NE(kind, nullptr) << name;
  return *kind;
}

struct Ended {
  std::optional<RankError> error;
  std::vector<std::string> sentences;  // one per rank that threw
};

Ended run_with(const Plan& plan, const Inputs& inputs, const FaultKind& kind, const FaultSite& site) {
  Ended ended;
  Thrown thrown;
  WatchedBackend backend(with_fault(std::make_unique<CpuBackend>(naive(), virtual_time()), kind, site), thrown);
  try {
    execute(backend, plan, inputs);
  } catch (const RankError& e) {
    ended.error = e;
  }
  ended.sentences = std::move(thrown.sentences);
  return ended;
}

// Where the error must point: the dead or stalled rank itself; for a lost message the rank that misses it.
void expect_place(const RankError& e, const Plan& plan, const FaultKind& kind, const FaultSite& site) {
  EXPECT_EQ(e.kind, ErrorKind::fault);
  EXPECT_GT(e.slice.heads.count(), 0) << "no slice is named";
  EXPECT_THAT(e.what(), testing::HasSubstr(place_text(e.rank, e.step, e.slice)));
  if (kind.name != "drop-message") {
    EXPECT_EQ(e.rank, site.rank);
    EXPECT_EQ(e.step, site.step);
    return;
  }
  const Move& lost = plan.schedule.moves[static_cast<std::size_t>(site.item)];
  EXPECT_EQ(e.rank, lost.to);
  EXPECT_EQ(e.step, site.step + lost.lag);
  EXPECT_EQ(e.slice, lost.slice());
}

// Left out under sanitizers by its name: a thousand runs of many threads.
TEST(ThousandFaults, AlwaysEndInTheSameErrorOnEveryRank) {
  const auto lines = lines_of_every_schedule("b1 h6/2 s9 d2 f32 causal", "zigzag", {2, 3, 4, 6});
  const std::string_view names[] = {"kill", "drop-message", "stall"};
  for (std::size_t n = 0; n < 1000; ++n) {
    const Plan plan = plan_of(lines[n / 3 % lines.size()]);
    const FaultKind& kind = fault(names[n % 3]);
    const auto site = choose_site(kind, plan, {}, n);
    ASSERT_TRUE(site) << lines[n / 3 % lines.size()];
    SCOPED_TRACE(lines[n / 3 % lines.size()] + ": " + site->sentence);
    const Ended ended = run_with(plan, random_inputs(plan.problem), kind, *site);
    ASSERT_TRUE(ended.error);
    expect_place(*ended.error, plan, kind, *site);
    EXPECT_THAT(ended.sentences, testing::SizeIs(plan.layout.ranks));
    EXPECT_THAT(ended.sentences, testing::Each(std::string(ended.error->what())));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Faults, ALoneRankThatStallsIsSeenToo) {
  const Plan plan = plan_of("b1 h2 s9 d2 f32 | contiguous ring r1");
  const FaultSite site{.rank = 0, .step = 1};
  const Ended ended = run_with(plan, random_inputs(plan.problem), fault("stall"), site);
  ASSERT_TRUE(ended.error);
  expect_place(*ended.error, plan, fault("stall"), site);
}

TEST(Faults, ALostMessageIsBlamedOnItsSenderAndTheOthersAreNamed) {
  const Plan plan = plan_of("b1 h2 s9 d2 f32 | contiguous ring r4");
  const FaultKind& kind = fault("drop-message");
  const auto site = choose_site(kind, plan, {.rank = 2, .step = 1}, 0);
  ASSERT_TRUE(site);
  const Ended ended = run_with(plan, random_inputs(plan.problem), kind, *site);
  ASSERT_TRUE(ended.error);
  const std::string sentence = ended.error->what();
  EXPECT_THAT(sentence, testing::HasSubstr("rank 3 step 1 KV b1 h0-2: the message was lost"));
  EXPECT_THAT(sentence, testing::HasSubstr("rank 2 had to send in step 1"));
  EXPECT_THAT(sentence, testing::HasSubstr("rank 0 step 2 waits for KV b1 h0-2 from rank 3"));
}

TEST(Faults, NeedNoVirtualClock) {
  const Plan plan = plan_of("b1 h2 s9 d2 f32 | contiguous ring r4");
  for (const std::string_view name : {"kill", "drop-message", "stall"}) {
    const auto site = choose_site(fault(name), plan, {.rank = 2, .step = 1}, 0);
    ASSERT_TRUE(site);
    const auto backend = with_fault(std::make_unique<CpuBackend>(naive()), fault(name), *site);
    EXPECT_THROW(execute(*backend, plan, random_inputs(plan.problem), {.deadline_seconds = 0.05}), RankError) << name;
  }
}

TEST(Faults, OfASchedulesAreNotFaultsOfTheWorld) {
  EXPECT_THROW(with_fault(std::make_unique<CpuBackend>(naive()), schedule_faults().front(), {}), Error);
}

class ThrowingKernel : public Kernel<float> {
 public:
  void forward(const AttendCall<float>& call, RowEvents*) const override {
    if (call.rank == 2 && call.step == 1) throw std::runtime_error("the device is on fire");
  }
  void backward(const AttendCall<float>&) const override {}
};

TEST(Faults, AnExceptionInAKernelEndsEveryRank) {
  const KernelKind kind{.name = "throwing",
                        .sentence = "throws",
                        .make_float = [](const KernelOptions&) -> std::unique_ptr<Kernel<float>> {
                          return std::make_unique<ThrowingKernel>();
                        }};
  Thrown thrown;
  WatchedBackend backend(std::make_unique<CpuBackend>(kind), thrown);
  const Plan plan = plan_of("b1 h2 s9 d2 f32 | contiguous ring r4");
  try {
    execute(backend, plan, random_inputs(plan.problem));
    FAIL() << "nobody noticed";
  } catch (const RankError& e) {
    EXPECT_EQ(e.kind, ErrorKind::fault);
    EXPECT_EQ(e.rank, 2);
    EXPECT_EQ(e.step, 1);
    EXPECT_THAT(e.what(), testing::HasSubstr("the device is on fire"));
  }
  EXPECT_THAT(thrown.sentences, testing::SizeIs(3));  // the fourth threw the runtime_error itself
}

}  // namespace
}  // namespace ringscope::cpu
