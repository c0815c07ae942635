// Numeric faults of buffers: what is read, sent or kept is not what it should be by then.
#include <algorithm>
#include <utility>

#include "core/element_type.h"
#include "core/faults/places.h"

namespace ringscope {

namespace {

bool is_kv(const Plan&, const Move& m) {
  return m.tensor == TensorKind::kv && m.combine == Combine::replace;
}

// Attends with pairs whose rank attended to another KV block of the same heads in an earlier step of the pass.
Sites later_attends(Pass pass) {
  return attends_where([pass](const Plan& plan, int step, const Attend& a, const AttendView& view) {
    if (plan.schedule.pass(step) != pass) return false;
    if (!any_pair(plan, a, view, [](const MeetingPair& pair) { return pair.allowed; })) return false;
    for (int t = 0; t < step; ++t) {
      if (plan.schedule.pass(t) != pass) continue;
      for (const Attend& earlier : plan.schedule.attends_of(t)) {
        const bool same_heads = earlier.kv_heads == a.kv_heads && earlier.q_heads == a.q_heads;
        if (earlier.rank == a.rank && same_heads && !(earlier.kv == a.kv)) return true;
      }
    }
    return false;
  });
}

// As many of the values of `before` as fit, from `first` on.
void keep_stale(const HeldBlock* before, HeldBlock& held, std::size_t first) {
  if (before == nullptr) return;
  for (std::size_t n = first; n < std::min(held.values.size(), before->values.size()); ++n) {
    held.values[n] = before->values[n];
  }
}

void read_early(Mishap& mishap, Pass pass) {
  mishap.read = [pass](const Spot& spot, const HeldBlock* before, HeldBlock& held) {
    if (held.tensor == TensorKind::kv && spot.pass == pass) keep_stale(before, held, 0);
  };
}

}  // namespace

std::vector<FaultKind> buffer_faults() {
  const Sites kv_landings = landings_where(is_kv);
  return {
      numeric_fault("stale-kv", "a rank attends before the new KV block has arrived, to the one before",
                    FaultSpread::everywhere, later_attends(Pass::forward),
                    [](Mishap& mishap) { read_early(mishap, Pass::forward); }),
      numeric_fault("backward-stale-kv", "the backward goes on using the KV block of the step before",
                    FaultSpread::everywhere, later_attends(Pass::backward),
                    [](Mishap& mishap) { read_early(mishap, Pass::backward); }),
      numeric_fault("torn-kv", "the second half of a KV block is read before it has landed, and holds the block before",
                    FaultSpread::one_place, later_attends(Pass::forward),
                    [](Mishap& mishap) {
                      mishap.read = [](const Spot&, const HeldBlock* before, HeldBlock& held) {
                        if (held.tensor == TensorKind::kv) keep_stale(before, held, held.values.size() / 2);
                      };
                    }),
      numeric_fault("send-buffer-reused", "a KV block is overwritten with zeros before its send has read all of it",
                    FaultSpread::one_place, kv_landings,
                    [](Mishap& mishap) {
                      mishap.landed = [](const Spot&, const HeldBlock*, HeldBlock& brought) {
                        if (brought.tensor != TensorKind::kv) return;
                        const auto half = static_cast<std::ptrdiff_t>(brought.values.size() / 2);
                        std::fill(brought.values.begin() + half, brought.values.end(), 0.0);
                      };
                    }),
      numeric_fault("bit-flipped", "a KV block arrives with the sign bit of one value flipped", FaultSpread::one_place,
                    kv_landings,
                    [](Mishap& mishap) {
                      mishap.landed = [](const Spot&, const HeldBlock*, HeldBlock& brought) {
                        if (brought.tensor == TensorKind::kv) brought.values.front() = -brought.values.front();
                      };
                    }),
      numeric_fault("kv-16-bit", "KV blocks are rounded to 16 bits on their way", FaultSpread::everywhere,
                    landings_where([](const Plan& plan, const Move& m) {
                      return is_kv(plan, m) && bytes_of(plan.problem.type) > 2;
                    }),
                    [](Mishap& mishap) {
                      mishap.landed = [](const Spot&, const HeldBlock*, HeldBlock& brought) {
                        if (brought.tensor != TensorKind::kv) return;
                        for (double& x : brought.values) x = round_to(ElementType::bf16, x);
                      };
                    }),
      numeric_fault("d-o-ones", "the incoming gradient is ignored and taken to be 1", FaultSpread::everywhere,
                    attends_where([](const Plan& plan, int step, const Attend& a, const AttendView& view) {
                      return plan.schedule.pass(step) == Pass::backward &&
                             any_pair(plan, a, view, [](const MeetingPair& pair) { return pair.allowed; });
                    }),
                    [](Mishap& mishap) {
                      mishap.read = [](const Spot&, const HeldBlock*, HeldBlock& held) {
                        if (held.tensor == TensorKind::d_o) std::fill(held.values.begin(), held.values.end(), 1.0);
                      };
                    }),
  };
}

}  // namespace ringscope
