#include "core/proof_memory.h"

#include <algorithm>
#include <string>

#include "core/plan_shape.h"

namespace ringscope {

ProofMemory::ProofMemory(const Plan& plan, const HeadUnits& units, ViolationLog& log)
    : plan_(plan),
      units_(units),
      log_(log),
      most_units_(static_cast<std::uint64_t>(std::max(units.count(Side::q), units.count(Side::kv)))),
      ranks_(at(plan.layout.ranks)),
      limit_(most_held) {
  std::vector<TensorKind> inputs{TensorKind::q, TensorKind::kv};
  if (plan.problem.has_backward()) inputs.push_back(TensorKind::d_o);
  for (const TensorKind tensor : inputs) {
    for (int block = 0; block < plan.layout.blocks(); ++block) {
      if (plan.layout.rows(side_of(tensor), block) == 0) continue;
      for (int unit = 0; unit < units.count(side_of(tensor)); ++unit) {
        create(plan.layout.owner(block), {tensor, block, unit}, home_slot, 0, landings_of(-1), Bytes::to_count);
      }
    }
  }
}

std::uint64_t ProofMemory::key(const Atom& atom) const {
  const std::uint64_t block_and_unit =
      static_cast<std::uint64_t>(atom.block) * most_units_ + static_cast<std::uint64_t>(atom.unit);
  return block_and_unit * tensor_kinds + static_cast<std::uint64_t>(atom.tensor);
}

Atom ProofMemory::atom_of(std::uint64_t key) const {
  const std::uint64_t block_and_unit = key / tensor_kinds;
  return {static_cast<TensorKind>(key % tensor_kinds), static_cast<std::int32_t>(block_and_unit / most_units_),
          static_cast<std::int32_t>(block_and_unit % most_units_)};
}

// Keys of slots and of own atoms do not meet: the lowest bit tells them apart.
SlotUse& ProofMemory::place(int rank, const Atom& atom, int slot) {
  const std::uint64_t slot_key =
      static_cast<std::uint64_t>(slot) * tensor_kinds + static_cast<std::uint64_t>(atom.tensor);
  return ranks_[at(rank)].places[at_home(rank, atom) ? 2 * key(atom) : 2 * slot_key + 1];
}

std::int64_t ProofMemory::bytes(const Atom& atom) const {
  return plan_.bytes(slice(atom));
}

Slice ProofMemory::slice(const Atom& atom) const {
  return {atom.tensor, {atom.block, 1, 1}, units_.heads(side_of(atom.tensor), atom.unit)};
}

void ProofMemory::grow(Rank& rank, std::int64_t bytes) {
  rank.bytes += bytes;
  rank.peak = std::max(rank.peak, rank.bytes);
}

void ProofMemory::refuse_slot(int rank, const Atom& atom, int slot, int step, const SlotUse& p) {
  const std::string where = at_home(rank, atom) ? " at home" : " in slot " + std::to_string(slot);
  const std::string why =
      p.held > 0 ? ", which still holds data"
      : p.busy_until >= step
          ? ", whose last data is in use or being read until the end of step " + std::to_string(p.busy_until)
          : ", which is reserved for what lands at step " + std::to_string(p.reserved);
  log_.add(Rule::overwrite, step, rank, slice(atom), "puts", where + why);
}

void ProofMemory::reserve(int rank, const Atom& atom, int slot, int step, int landing_step) {
  SlotUse& p = place(rank, atom, slot);
  const bool free = p.held == 0 && p.busy_until < step && (p.reserved < step || p.reserved == landing_step);
  if (!free) refuse_slot(rank, atom, slot, step, p);
  p.reserved = landing_step;
  grow(ranks_[at(rank)], bytes(atom));
}

HeldAtom& ProofMemory::create(int rank, const Atom& atom, int slot, int step, std::int64_t filler, Bytes count) {
  const bool own = at_home(rank, atom);
  if (!own && slot == home_slot) {
    log_.add(Rule::overwrite, step, rank, slice(atom), "puts", " into slot 0, where only its own blocks live");
  }
  SlotUse& p = place(rank, atom, slot);
  const bool gathers = filler == p.filler;
  const bool expected = p.reserved < step || filler == landings_of(p.reserved);
  const bool free = p.held > 0 ? gathers : p.busy_until < step && expected;
  if (!free) refuse_slot(rank, atom, slot, step, p);
  ++p.held;
  p.filler = filler;
  ++held_;
  if (count == Bytes::to_count) grow(ranks_[at(rank)], bytes(atom));
  HeldAtom& held = ranks_[at(rank)].atoms[key(atom)];
  held = {own ? std::int32_t{home_slot} : slot};
  return held;
}

void ProofMemory::remove(int rank, const Atom& atom, int step) {
  Rank& r = ranks_[at(rank)];
  const HeldAtom* held = r.atoms.find(key(atom));
  if (held == nullptr) return;
  const int until = std::max(step, held->read_until);
  SlotUse& p = place(rank, atom, held->slot);
  --p.held;
  p.busy_until = std::max(p.busy_until, until);
  if (until > step) {
    releases_[until].push_back({rank, bytes(atom)});
  } else {
    r.bytes -= bytes(atom);
  }
  r.atoms.erase(key(atom));
  --held_;
}

void ProofMemory::end_step(int step) {
  const auto due = releases_.find(step);
  if (due == releases_.end()) return;
  for (const Release& release : due->second) ranks_[at(release.rank)].bytes -= release.bytes;
  releases_.erase(due);
}

void ProofMemory::note_peak(int rank, std::int64_t staging) {
  Rank& r = ranks_[at(rank)];
  r.peak = std::max(r.peak, r.bytes + staging);
}

std::vector<std::int64_t> ProofMemory::peaks() const {
  std::vector<std::int64_t> out;
  for (const Rank& r : ranks_) out.push_back(r.peak);
  return out;
}

}  // namespace ringscope
