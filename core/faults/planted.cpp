#include "core/faults/planted.h"

#include <utility>

#include "core/error.h"
#include "core/faults/misbehaving.h"
#include "core/faults/transport.h"

namespace ringscope {

std::optional<Planted> plant(const Plan& clean, const FaultChoice& choice, std::uint64_t seed) {
  Planted planted{.plan = clean};
  if (choice.name.empty()) return planted;
  planted.fault = find_fault(choice.name);
  ensure(planted.fault != nullptr, "a case names a known fault");
  const auto site = choose_site(*planted.fault, clean, choice, seed);
  if (!site) return std::nullopt;
  planted.site = *site;
  if (planted.fault->damage != nullptr) planted.fault->damage(planted.plan, *site);
  return planted;
}

std::unique_ptr<Backend> faulty(std::unique_ptr<Backend> backend, const Planted& planted) {
  if (planted.fault == nullptr) return backend;
  switch (planted.fault->family) {
    case FaultFamily::schedule:
      return backend;
    case FaultFamily::transport:
      return with_fault(std::move(backend), *planted.fault, planted.site);
    case FaultFamily::numeric:
      return misbehaving(std::move(backend), planted.fault->mishap(planted.plan), planted.site);
  }
  return backend;
}

}  // namespace ringscope
