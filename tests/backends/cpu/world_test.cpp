#include "backends/cpu/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/backends/cpu/run_case.h"

namespace ringscope::cpu {
namespace {

struct Timed {
  Plan plan;
  RunResult result;
};

// In virtual time kernels take no time and messages do.
Timed run_over_links(std::string_view line, double bytes_per_second) {
  Timed timed{.plan = plan_of(line)};
  timed.result = run(timed.plan, random_inputs(timed.plan.problem),
                     {.link_bytes_per_second = bytes_per_second, .clock = std::make_shared<VirtualClock>()});
  return timed;
}

double last_end(const Trace& trace) {
  double end = 0;
  for (const TraceEvent& e : trace.events) end = std::max(end, e.end_seconds);
  return end;
}

TEST(World, ComputesWhileTheNextBlockIsOnItsWay) {
  const Timed timed = run_over_links("b1 h2 s16 d4 f32 fwd | contiguous ring r4", 1000);
  const auto& events = timed.result.trace.events;
  int received = 0;
  for (const TraceEvent& arrival : events) {
    if (arrival.lane != Lane::receive) continue;
    ++received;
    const auto overlaps = [&](const TraceEvent& e) {
      return e.kind == EventKind::attend && e.rank == arrival.rank && e.step == arrival.step &&
             e.begin_seconds >= arrival.begin_seconds && e.begin_seconds < arrival.end_seconds;
    };
    EXPECT_TRUE(std::ranges::any_of(events, overlaps)) << "rank " << arrival.rank << " step " << arrival.step;
  }
  EXPECT_EQ(received, 4 * 3);
}

TEST(World, LinksCarryTheirRateAndNoMore) {
  const double rate = 1000;
  const Timed ring = run_over_links("b1 h2 s16 d4 f32 fwd | contiguous ring r4", rate);
  const auto block = static_cast<double>(ring.plan.bytes(ring.plan.schedule.moves.front().slice()));
  EXPECT_DOUBLE_EQ(last_end(ring.result.trace), 3 * block / rate);  // one hop after the other
  const Timed gather = run_over_links("b1 h2 s16 d4 f32 fwd | contiguous all-gather r4", rate);
  EXPECT_DOUBLE_EQ(last_end(gather.result.trace), block / rate);  // on three links at once
}

TEST(World, ASlowLinkIsNoStall) {
  const Timed timed = run_over_links("b1 h2 s16 d4 f32 | contiguous double-ring r2x2", 0.01);
  EXPECT_GT(last_end(timed.result.trace), RunOptions{}.deadline_seconds);
  const Outputs want = run(timed.plan, random_inputs(timed.plan.problem)).outputs;
  EXPECT_TRUE(same_bits(timed.result.outputs, want));
}

TEST(World, TheTraceSaysWhoWaitedForWhom) {
  const Timed timed = run_over_links("b1 h2 s16 d4 f32 fwd | contiguous ring r4", 1000);
  int waits = 0;
  for (const TraceEvent& e : timed.result.trace.events) {
    EXPECT_LE(e.begin_seconds, e.end_seconds);
    if (e.lane != Lane::wait) continue;
    ++waits;
    EXPECT_EQ(e.kind, EventKind::wait);
    EXPECT_EQ(e.peer, (e.rank + 3) % 4);
    EXPECT_EQ(e.slice.tensor, TensorKind::kv);
  }
  EXPECT_EQ(waits, 4 * 3);
}

TEST(World, TheTraceHoldsEveryAttendFinishAndMoveOnce) {
  for (const std::string& line : lines_of_every_schedule("b1 h6/2 s13 d2 f32 causal", "zigzag", {4})) {
    const Plan plan = plan_of(line);
    const Trace trace = run(plan, random_inputs(plan.problem)).trace;
    const auto count = [&](Lane lane, EventKind kind) {
      return std::ranges::count_if(trace.events, [&](const auto& e) { return e.lane == lane && e.kind == kind; });
    };
    const auto moves = std::ranges::count_if(plan.schedule.moves, [](const Move& m) { return m.to != nobody; });
    EXPECT_EQ(count(Lane::compute, EventKind::attend), std::ssize(plan.schedule.attends)) << line;
    EXPECT_EQ(count(Lane::compute, EventKind::finish), std::ssize(plan.schedule.finishes)) << line;
    EXPECT_EQ(count(Lane::send, EventKind::move), moves) << line;
    EXPECT_EQ(count(Lane::receive, EventKind::move), moves) << line;
    const auto before = [](const TraceEvent& a, const TraceEvent& b) {
      return std::pair(a.rank, a.begin_seconds) < std::pair(b.rank, b.begin_seconds);
    };
    EXPECT_TRUE(std::ranges::is_sorted(trace.events, before)) << line;
  }
}

// One thread per rank does `work`; the first error comes back.
template <class Work>
std::optional<RankError> in_world(const Plan& plan, const Work& work) {
  VirtualClock clock;
  World world(plan, {}, clock);
  world.start();
  {
    std::vector<std::jthread> threads;
    for (int r = 0; r < plan.layout.ranks; ++r) {
      threads.emplace_back([&world, &work, r] {
        try {
          work(world, r);
        } catch (const RankError&) {
        }
        world.leave(r);
      });
    }
  }
  return world.error();
}

TEST(World, AMessageThatNobodySentIsMissedAtOnce) {
  const Plan plan = plan_of("b1 h2 s4 d2 f32 fwd | contiguous ring r2");
  const auto error = in_world(plan, [&](World& world, int rank) {
    world.enter(rank, 0);
    for (std::int64_t i = 0; i < std::ssize(plan.schedule.moves); ++i) {
      if (plan.schedule.moves[static_cast<std::size_t>(i)].to == rank) world.receive(i);
    }
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, ErrorKind::fault);
  EXPECT_EQ(error->rank, 0);
  EXPECT_EQ(error->slice.tensor, TensorKind::kv);
}

TEST(World, ARankThatLeavesEarlyIsMissed) {
  const Plan plan = plan_of("b1 h2 s4 d2 f32 fwd | contiguous ring r3");
  const auto error = in_world(plan, [](World& world, int rank) {
    world.enter(rank, 0);
    if (rank != 1) world.arrive(rank, 30);
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->rank, 1);
}

TEST(World, PausesShorterThanTheDeadlineAreNoFault) {
  const Plan plan = plan_of("b1 h2 s4 d2 f32 fwd | contiguous ring r3");
  const auto error = in_world(plan, [](World& world, int rank) {
    world.enter(rank, 0);
    if (rank == 1) world.pause(rank, 29);
    world.arrive(rank, 30);
  });
  EXPECT_FALSE(error);
}

}  // namespace
}  // namespace ringscope::cpu
