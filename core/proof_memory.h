// What the ranks hold while a plan is executed without numbers: atoms, the slots they live in, and their bytes.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "core/flat_map.h"
#include "core/head_units.h"
#include "core/index.h"
#include "core/plan.h"
#include "core/violation_log.h"

namespace ringscope {

// One (tensor, block, head unit).
struct Atom {
  TensorKind tensor = TensorKind::q;
  std::int32_t block = 0, unit = 0;
};

// One atom on one rank.
struct HeldAtom {
  std::int32_t slot = home_slot;
  std::int32_t contributions = 0;  // attends in an accumulator: (q block, kv block, q unit) with pairs
  std::int32_t sent = -1;          // the last step that sends it
  std::int32_t read_until = -1;    // the last step in which a send may still be reading it
};

// Where atoms live: one slot of one tensor or, at home, the place of one own atom.
struct SlotUse {
  std::int32_t held = 0;
  std::int32_t busy_until = -1;  // the last step that uses what was here
  std::int32_t reserved = -1;    // the step whose landings will fill it; over once that step is
  std::int64_t filler = 0;       // who filled it: an operation, or the landings of a step
};

// An attend or finish fills as operation 1, 2, ...; the landings of a step fill together.
constexpr std::int64_t landings_of(int step) {
  return -1 - std::int64_t{step};
}

class ProofMemory {
 public:
  // Keeps references. Every rank begins with its own inputs at home.
  ProofMemory(const Plan& plan, const HeadUnits& units, ViolationLog& log);

  HeldAtom* find(int rank, const Atom& atom) { return ranks_[at(rank)].atoms.find(key(atom)); }
  // A buffer that landings of a later moment will fill: its place must be free now and stays reserved.
  void reserve(int rank, const Atom& atom, int slot, int step, int landing_step);
  // Creates an atom that is not there. `reserved`: its bytes were counted when its place was reserved.
  enum class Bytes { to_count, reserved };
  HeldAtom& create(int rank, const Atom& atom, int slot, int step, std::int64_t filler, Bytes bytes);
  void remove(int rank, const Atom& atom, int step);
  // Frees what lagged sends have read, once the step is over.
  void end_step(int step);

  std::int64_t bytes(const Atom& atom) const;
  Slice slice(const Atom& atom) const;
  bool at_home(int rank, const Atom& atom) const { return plan_.layout.owner(atom.block) == rank; }
  // What the rank holds now and `staging` bytes more count towards its peak.
  void note_peak(int rank, std::int64_t staging);
  std::vector<std::int64_t> peaks() const;
  bool too_large() const { return held_ > limit_; }

  template <class Visit>
  void for_each(int rank, const Visit& visit) const {
    ranks_[at(rank)].atoms.for_each([&](std::uint64_t k, const HeldAtom& held) { visit(atom_of(k), held); });
  }

 private:
  struct Rank {
    FlatMap<HeldAtom> atoms;
    FlatMap<SlotUse> places;
    std::int64_t bytes = 0, peak = 0;
  };
  struct Release {
    int rank;
    std::int64_t bytes;
  };

  std::uint64_t key(const Atom& atom) const;
  Atom atom_of(std::uint64_t key) const;
  SlotUse& place(int rank, const Atom& atom, int slot);
  void refuse_slot(int rank, const Atom& atom, int slot, int step, const SlotUse& place);
  void grow(Rank& rank, std::int64_t bytes);

  const Plan& plan_;
  const HeadUnits& units_;
  ViolationLog& log_;
  std::uint64_t most_units_;
  std::vector<Rank> ranks_;
  std::map<int, std::vector<Release>> releases_;  // by the last step of the reading
  std::int64_t held_ = 0, limit_;
};

}  // namespace ringscope
