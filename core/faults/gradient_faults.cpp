// Numeric faults of the backward: delta, LSE, the scale of gradients, and how dK and dV add up and come home.
#include "core/faults/places.h"

namespace ringscope {

namespace {

FaultKind everywhere(std::string_view name, std::string_view sentence, Sites sites,
                     std::function<void(Mishap&)> plant) {
  FaultKind kind{name, sentence, FaultFamily::numeric};
  kind.spread = FaultSpread::everywhere;
  kind.sites = std::move(sites);
  kind.mishap = [plant = std::move(plant)](const Plan&) {
    Mishap mishap;
    plant(mishap);
    return mishap;
  };
  return kind;
}

}  // namespace

std::vector<FaultKind> gradient_faults() {
  return {
      everywhere("delta-local", "delta is taken from each block's own output", parts_of_backward(),
                 [](Mishap& mishap) {
                   mishap.stats_used = [](const RowStats& local, RowStats& used) { used.delta = local.delta; };
                 }),
  };
}

}  // namespace ringscope
