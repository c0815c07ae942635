#include "core/faults/fault.h"

#include <algorithm>

namespace ringscope {

namespace {

// SplitMix64's finaliser (Steele, Lea, Flood 2014): neighbouring seeds pick unrelated sites.
std::uint64_t scramble(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

std::vector<FaultKind> all_kinds() {
  std::vector<FaultKind> kinds = schedule_faults();
  for (const FaultKind& kind : transport_faults()) kinds.push_back(kind);
  return kinds;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto letter = [](char c) { return c == '_' ? '-' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return letter(x) == letter(y); });
}

}  // namespace

std::span<const FaultKind> fault_kinds() {
  static const std::vector<FaultKind> kinds = all_kinds();
  return kinds;
}

const FaultKind* find_fault(std::string_view name) {
  const auto kinds = fault_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const FaultKind& k) { return same_name(k.name, name); });
  return kind == kinds.end() ? nullptr : &*kind;
}

std::optional<FaultSite> choose_site(const FaultKind& kind, const Plan& plan, const FaultChoice& choice,
                                     std::uint64_t seed) {
  std::vector<FaultSite> sites = kind.sites(plan);
  std::erase_if(sites, [&](const FaultSite& s) {
    return (choice.rank >= 0 && s.rank != choice.rank) || (choice.step >= 0 && s.step != choice.step);
  });
  if (sites.empty()) return std::nullopt;
  const bool said = choice.rank >= 0 && choice.step >= 0;
  return sites[said ? 0 : scramble(seed) % sites.size()];
}

}  // namespace ringscope
