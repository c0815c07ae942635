// Numeric faults of the backward: delta, LSE, the scale of gradients, and how dK and dV add up and come home.
#include <algorithm>
#include <span>
#include <utility>

#include "core/element_type.h"
#include "core/faults/places.h"

namespace ringscope {

namespace {

using AddValues = std::function<void(std::span<double> into, std::span<const double> brought)>;

// What a rank makes of the dK and dV that a move brings, where it has some itself.
FaultKind other_sum(std::string_view name, std::string_view sentence, AddValues add) {
  const Sites sites = landings_where(
      [](const Plan&, const Move& m) { return m.tensor == TensorKind::dkv && m.combine == Combine::add; });
  return everywhere(name, sentence, sites, [add = std::move(add)](Mishap& mishap) {
    mishap.add = [add](const Spot&, TensorKind tensor, std::span<double> into, std::span<const double> brought) {
      if (tensor == TensorKind::dkv) return add(into, brought);
      for (std::size_t n = 0; n < into.size(); ++n) into[n] += brought[n];
    };
  });
}

FaultKind other_stats(std::string_view name, std::string_view sentence, std::function<void(RowStats&)> change) {
  const Sites sites = attends_where([](const Plan& plan, int step, const Attend& a, const AttendView& view) {
    return plan.schedule.pass(step) == Pass::backward &&
           any_pair(plan, a, view, [](const MeetingPair& pair) { return pair.allowed; });
  });
  return everywhere(name, sentence, sites, [change = std::move(change)](Mishap& mishap) {
    mishap.stats_used = [change](const RowStats&, RowStats& used) { change(used); };
  });
}

bool moves_gradients(const Plan&, const Move& m) {
  return m.tensor == TensorKind::dkv;
}

}  // namespace

std::vector<FaultKind> gradient_faults() {
  FaultKind lost = other_sum("dkv-lost", "a rank keeps its own share of dK and dV and loses what the others added",
                             [](std::span<double>, std::span<const double>) {});
  lost.spread = FaultSpread::one_place;
  return {
      everywhere("delta-local", "delta is taken from each block's own output", parts_of_backward(),
                 [](Mishap& mishap) {
                   mishap.stats_used = [](const RowStats& local, RowStats& used) { used.delta = local.delta; };
                 }),
      everywhere("lse-local", "the backward takes each block's own LSE", parts_of_backward(),
                 [](Mishap& mishap) {
                   mishap.stats_used = [](const RowStats& local, RowStats& used) { used.lse = local.lse; };
                 }),
      other_stats("delta-missing", "delta is left out of dS", [](RowStats& used) { used.delta = 0; }),
      other_stats("delta-16-bit", "delta is kept in 16 bits",
                  [](RowStats& used) { used.delta = round_to(ElementType::bf16, used.delta); }),
      other_stats("backward-lse-base-2", "the backward takes an LSE to base 2 for a natural logarithm",
                  [](RowStats& used) { used.lse /= math::log(2.0); }),
      other_sum("dkv-overwritten", "dK and dV that arrive replace what the rank has instead of being added",
                [](std::span<double> into, std::span<const double> brought) {
                  std::copy(brought.begin(), brought.end(), into.begin());
                }),
      other_sum("dkv-own-share", "every rank's dK and dV hold its own share alone",
                [](std::span<double>, std::span<const double>) {}),
      lost,
      everywhere("dkv-16-bit", "dK and dV are rounded to 16 bits at each hop", landings_where(moves_gradients),
                 [](Mishap& mishap) {
                   mishap.landed = [](const Spot&, const HeldBlock*, HeldBlock& brought) {
                     if (brought.tensor != TensorKind::dkv) return;
                     for (double& x : brought.values) x = round_to(ElementType::bf16, x);
                   };
                 }),
  };
}

}  // namespace ringscope
