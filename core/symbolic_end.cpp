// What must hold when the last step of the symbolic run is over, and the facts of the run.
#include <algorithm>
#include <string>

#include "core/symbolic_run.h"

namespace ringscope {

namespace {

std::vector<LinkBytes> sorted_links(const FlatMap<std::int64_t>& bytes) {
  std::vector<LinkBytes> links;
  bytes.for_each([&](std::uint64_t link, std::int64_t n) {
    links.push_back({static_cast<int>(link >> 32), static_cast<int>(link & 0xffffffffu), n});
  });
  std::ranges::sort(links, {}, [](const LinkBytes& l) { return std::pair(l.from, l.to); });
  return links;
}

}  // namespace

void SymbolicRun::check_end() {
  check_coverage(Pass::forward);
  if (facts_.has_backward) check_coverage(Pass::backward);
  for (int rank = 0; rank < plan_.layout.ranks; ++rank) check_leftovers(rank);
  for (int block = 0; block < plan_.layout.blocks(); ++block) check_home(block);
}

void SymbolicRun::check_coverage(Pass pass) {
  const char* direction = pass == Pass::backward ? " in the backward" : " in the forward";
  const Bits& covered = covered_[pass == Pass::backward ? 1 : 0];
  const int q_units = units_.count(Side::q), blocks = plan_.layout.blocks();
  std::size_t bit = 0;
  for (int x = 0; x < blocks; ++x) {
    for (int y = 0; y < blocks; ++y) {
      for (int unit = 0; unit < q_units; ++unit, ++bit) {
        if (covered[bit] || tiles_.pairs(x, y) == 0) continue;
        const Slice slice{TensorKind::q, {x, 1, 1}, units_.heads(Side::q, unit)};
        log_.add(Rule::coverage, plan_.schedule.steps(), plan_.layout.owner(x), slice, "has not attended",
                 " with KV b" + std::to_string(y) + direction);
      }
    }
  }
}

void SymbolicRun::check_leftovers(int rank) {
  memory_.for_each(rank, [&](const Atom& atom, const HeldAtom& held) {
    const int steps = plan_.schedule.steps();
    if (memory_.at_home(rank, atom)) {
      if (atom.tensor != TensorKind::state) return;
      log_.add(Rule::finish, steps, rank, memory_.slice(atom), "has not finished", "");
      return;
    }
    const Rule rule = atom.tensor == TensorKind::state ? Rule::state_owner
                      : is_accumulator(atom.tensor)    ? Rule::gradient
                                                       : Rule::leak;
    log_.add(rule, steps, rank, memory_.slice(atom), "still holds", " in slot " + std::to_string(held.slot));
  });
}

void SymbolicRun::check_home(int block) {
  const int owner = plan_.layout.owner(block), steps = plan_.schedule.steps();
  const Blocks one{block, 1, 1};
  const auto gathered = [&](const Atom& atom, std::int32_t want) {
    const HeldAtom* held = memory_.find(owner, atom);
    const std::int32_t have = held == nullptr ? 0 : held->contributions;
    if (have == want) return;
    log_.add(Rule::gradient, steps, owner, memory_.slice(atom), "has",
             " with " + std::to_string(have) + " of " + std::to_string(want) + " contributions");
  };
  const Heads all_q{0, static_cast<std::uint16_t>(plan_.problem.heads_q)};
  for_each_atom(TensorKind::out, one, all_q, [&](const Atom& out) {
    if (memory_.find(owner, out) == nullptr) {
      log_.add(Rule::home, steps, owner, memory_.slice(out), "lacks", ", which never came home");
    }
    if (!facts_.has_backward) return;
    gathered({TensorKind::dq, out.block, out.unit}, tiles_.partners(Side::q, block));
    if (!finished_[1][finish_index(out)]) {
      log_.add(Rule::finish, steps, owner, memory_.slice({TensorKind::stats, out.block, out.unit}), "has no",
               ": the backward Finish is missing");
    }
  });
  if (!facts_.has_backward) return;
  const Heads all_kv{0, static_cast<std::uint16_t>(plan_.problem.heads_kv)};
  for_each_atom(TensorKind::dkv, one, all_kv, [&](const Atom& dkv) {
    gathered(dkv, tiles_.partners(Side::kv, block) * units_.q_units_in(dkv.unit));
  });
}

ScheduleFacts SymbolicRun::facts() {
  facts_.forward.links = sorted_links(link_bytes_[0]);
  facts_.backward.links = sorted_links(link_bytes_[1]);
  facts_.peak_bytes = memory_.peaks();
  return facts_;
}

}  // namespace ringscope
