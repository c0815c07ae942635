#include "core/faults/fault.h"

#include <algorithm>
#include <utility>

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
  std::vector<FaultKind> kinds;
  for (const auto family : {schedule_faults, transport_faults, mask_faults, score_faults, merge_faults, finish_faults,
                            gradient_faults, buffer_faults, output_faults}) {
    for (FaultKind& kind : family()) kinds.push_back(std::move(kind));
  }
  return kinds;
}

bool same_name(std::string_view a, std::string_view b) {
  const auto letter = [](char c) { return c == '_' ? '-' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return letter(x) == letter(y); });
}

std::string everywhere(const FaultKind& kind, const FaultChoice& choice) {
  std::string sentence(kind.sentence);
  if (choice.rank >= 0) sentence += ", on rank " + std::to_string(choice.rank);
  if (choice.step >= 0) sentence += ", at step " + std::to_string(choice.step);
  return sentence;
}

std::string place_of(const FaultSite& site) {
  return "@r" + std::to_string(site.rank) + ",t" + std::to_string(site.step);
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
  if (kind.spread == FaultSpread::everywhere) return FaultSite{choice.rank, choice.step, -1, everywhere(kind, choice)};
  const bool said = choice.rank >= 0 && choice.step >= 0;
  return sites[said ? 0 : scramble(seed) % sites.size()];
}

std::string why_no_site(const FaultKind& kind, const Plan& plan, const FaultChoice& choice) {
  std::string why = "this case has no such place";
  if (choice.rank < 0 && choice.step < 0) return why;
  const int last_rank = plan.layout.ranks - 1, last_step = plan.schedule.steps() - 1;
  why += ": it has ranks 0 to " + std::to_string(last_rank) + " and steps 0 to " + std::to_string(last_step);
  const std::vector<FaultSite> sites = kind.sites(plan);
  if (sites.empty()) return why + ", and none of them has a place for the fault";
  return why + "; the places of the fault are from " + place_of(sites.front()) + " to " + place_of(sites.back());
}

}  // namespace ringscope
