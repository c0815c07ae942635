// The museum, hall of messages: who sends what to whom, in which order (docs/museum.md, C1 to C15).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/program_check.h"
#include "tests/catalogue/exhibit.h"
#include "tests/catalogue/mistaken_kernel.h"

namespace ringscope {
namespace {

using testing::HasSubstr;

// What the ranks post, right until a test changes it.
struct Programs {
  explicit Programs(std::string_view line) : plan(plan_of(line)), of(index_by_rank(plan.schedule, plan.layout.ranks)) {}

  std::vector<Violation> found() const {
    ViolationLog log(10);
    check_programs(plan.schedule, of, log);
    return log.take();
  }
  const Move& move(std::int64_t index) const { return plan.schedule.moves[static_cast<std::size_t>(index)]; }
  // Positions in the receives of a rank and step.
  std::pair<std::size_t, std::size_t> receives(std::size_t rank, std::size_t step) const {
    return {static_cast<std::size_t>(of[rank].receive_begin[step]),
            static_cast<std::size_t>(of[rank].receive_begin[step + 1])};
  }
  void forget_receive(std::size_t rank, std::size_t at) {
    RankProgram& p = of[rank];
    p.receives.erase(p.receives.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::int64_t& begin : p.receive_begin) begin -= begin > static_cast<std::int64_t>(at);
  }

  Plan plan;
  std::vector<RankProgram> of;  // [rank]
};

void expect_mismatch(const Programs& programs, Rule rule, const std::string& words) {
  const std::vector<Violation> found = programs.found();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].rule, rule) << found[0].sentence;
  EXPECT_THAT(found[0].sentence, HasSubstr(words));
}

// C1. Both ranks send, and receive only when that is done: with rendezvous sends nobody ever is.
TEST(Comms, EveryoneSendingFirstIsACycleOfWaits) {
  Programs programs("b1 h2 s8 d4 fwd | contiguous ring r2");
  EXPECT_THAT(programs.found(), testing::IsEmpty());
  for (RankProgram& p : programs.of) p.receive_begin[1] = p.receive_begin[0];  // step 0's receives go to step 1
  expect_mismatch(programs, Rule::wait_cycle, "waits, for ");
}

// Swaps, on one rank, the first two receives of one step and link whose tensors satisfy the condition.
template <class Condition>
bool cross_receives(Programs& programs, const Condition& condition) {
  for (std::size_t rank = 0; rank < programs.of.size(); ++rank) {
    for (std::size_t step = 0; step + 1 < programs.of[rank].receive_begin.size(); ++step) {
      const auto [begin, end] = programs.receives(rank, step);
      for (std::size_t i = begin; i + 1 < end; ++i) {
        auto& receives = programs.of[rank].receives;
        const Move &a = programs.move(receives[i]), &b = programs.move(receives[i + 1]);
        if (a.from != b.from || !condition(a, b)) continue;
        std::swap(receives[i], receives[i + 1]);
        return true;
      }
    }
  }
  return false;
}

// C2. Two streams between the same two ranks, served in opposite orders.
TEST(Comms, TwoStreamsInOppositeOrdersDoNotMeet) {
  Programs programs("b1 h2 s8 d4 fwd | contiguous bidi r2");
  EXPECT_THAT(programs.found(), testing::IsEmpty());
  ASSERT_TRUE(cross_receives(programs, [](const Move& a, const Move& b) { return a.blocks != b.blocks; }));
  expect_mismatch(programs, Rule::match, "another order");
}

// C3. KV on one communicator, dKV on another, in another order per rank.
TEST(Comms, KvAndDkvInAnotherOrderPerRankDoNotMeet) {
  Programs programs("b1 h2 s12 d4 | contiguous ring r4");
  EXPECT_THAT(programs.found(), testing::IsEmpty());
  ASSERT_TRUE(cross_receives(programs, [](const Move& a, const Move& b) { return a.tensor != b.tensor; }));
  expect_mismatch(programs, Rule::match, "another order");
}

// C4. A rank skips a masked block to save traffic; its peer sends it all the same.
TEST(Comms, AReceiveSkippedOnOneSideLeavesAnUnmatchedSend) {
  Programs programs("b1 h2 s8 d4 fwd causal | contiguous ring r4");
  EXPECT_THAT(programs.found(), testing::IsEmpty());
  programs.forget_receive(0, 0);  // rank 0 never needs a later block
  expect_mismatch(programs, Rule::match, "never received");
  const Plan pruned = plan_of("b1 h2 s8 d4 fwd causal | contiguous ring r4 prune");
  EXPECT_TRUE(prove(pruned).holds());  // both sides skip it
}

// C5. What a hang needs is a report: who stopped, at which step, who waits for what.
TEST(Comms, AHangOfOneInSixteenRanksNamesRankAndStep) {
  const Report report = verified("b1 h2 s32 d4 fwd f64 | contiguous ring r16 | cpu:naive | fault=stall@r7,t3");
  EXPECT_EQ(report.verdict, Verdict::faulted);
  ASSERT_TRUE(report.where);
  EXPECT_EQ(report.where->check, "transport");
  EXPECT_EQ(report.where->rank, 7) << report.reason;
  EXPECT_EQ(report.where->step, 3) << report.reason;
}

// C6. An empty shard: both sides post its messages, or neither, as the builders do.
TEST(Comms, AnEmptyShardSentByOneSideAndSkippedByTheOtherIsAMismatch) {
  const Exhibit e("b1 h2 s3 d4 f64 causal | contiguous ring r4");
  e.expect_passes(e.right());
  Programs programs("b1 h2 s3 d4 f64 fwd causal | contiguous ring r4");
  EXPECT_THAT(programs.found(), testing::IsEmpty());
  Move empty = programs.move(0);
  empty.blocks.first = 3, empty.from = 3, empty.to = 0;
  ASSERT_EQ(programs.plan.rows(empty.slice()), 0);
  programs.plan.schedule.moves.push_back(empty);
  RankProgram& sender = programs.of[3];
  sender.sends.insert(sender.sends.begin(), std::ssize(programs.plan.schedule.moves) - 1);
  for (std::size_t t = 1; t < sender.send_begin.size(); ++t) ++sender.send_begin[t];
  expect_mismatch(programs, Rule::match, "another order");
}

Plan with_peers(const Plan& plan, const std::function<std::int32_t(const Move&)>& peer) {
  Plan out = plan;
  for (Move& m : out.schedule.moves) {
    if (m.to != nobody) m.to = peer(m);
  }
  return out;
}

// C9. A peer's number inside its group taken for its number in the world: the same where the group is the world.
TEST(Comms, AGroupRankTakenForAWorldRankSendsToTheWrongPeer) {
  const auto local_peer = [](const Move& m) { return m.to / 2 == m.from / 2 ? m.to % 2 : m.to; };
  const Plan world = plan_of("b1 h2 s8 d4 fwd | contiguous double-ring r1x2");
  EXPECT_EQ(with_peers(world, local_peer), world);
  const Plan groups = plan_of("b1 h2 s16 d4 fwd | contiguous double-ring r2x2");
  const Violation v = expect_refused(groups, with_peers(groups, local_peer), Rule::presence);
  EXPECT_GE(v.rank, 2);
}

// C10. Ring groups built of consecutive ranks, which are the members of another axis.
TEST(Comms, RingsOfConsecutiveRanksIgnoreTheOtherAxis) {
  const Plan plan = plan_of("b1 h4 s16 d4 fwd | contiguous usp r2x2");
  const auto consecutive = [](const Move& m) {
    return m.tensor == TensorKind::kv && (m.to ^ m.from) == 2 ? m.from ^ 1 : m.to;
  };
  const Plan wrong = with_peers(plan, consecutive);
  ASSERT_NE(wrong, plan);
  expect_refused(plan, wrong, Rule::presence);
}

// C13. The bytes of a transposed view travel as they lie in memory.
class ForeignKeysTransposed final : public MistakenKernel {
 public:
  void forward(const Call& call, cpu::RowEvents* events) const override {
    if (call.step == 0) return right().forward(call, events);  // the rank's own block has not travelled
    const std::int64_t rows = call.kv_rows.at(0), dim = call.problem.dim_qk;
    std::vector<std::vector<double>> blocks;
    Call wrong = call;
    for (std::size_t h = 0; h < call.kv.size(); ++h) {
      blocks.emplace_back(call.kv[h], call.kv[h] + rows * (dim + call.problem.dim_v));
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t d = 0; d < dim; ++d) {
          const std::int64_t flat = r * dim + d;
          blocks[h][static_cast<std::size_t>(flat)] = call.kv[h][flat % rows * dim + flat / rows];
        }
      }
      wrong.kv[h] = blocks[h].data();
    }
    right().forward(wrong, events);
  }
};

TEST(Comms, ATransposedViewSentAsBytesArrivesTransposed) {
  const Report report = verified("b1 h2 s12 d4 f64 fwd | contiguous ring r4", kernel_with<ForeignKeysTransposed>());
  expect_place(report, "bounds", Output::o);
  EXPECT_EQ(report.where->step, 1) << report.reason;
}

// C14. Bidirectional, N = 4: a rank expects one message too few from one direction.
TEST(Comms, OneMessageTooFewExpectedFromOneDirectionHangsThatLink) {
  Programs programs("b1 h2 s16 d4 fwd | contiguous bidi r4");
  EXPECT_THAT(programs.found(), testing::IsEmpty());
  programs.forget_receive(2, programs.of[2].receives.size() - 1);
  expect_mismatch(programs, Rule::match, "never received");
}

}  // namespace
}  // namespace ringscope
