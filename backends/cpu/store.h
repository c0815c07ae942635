// One rank's memory: which (tensor, block, head) it holds, and in which slot.
#pragma once
#include <cstdint>
#include <vector>

#include "backends/cpu/buffer.h"
#include "core/plan.h"

namespace ringscope::cpu {

struct Atom {
  TensorKind tensor = TensorKind::q;
  int block = 0, head = 0;
};

// The blocks of a slice that have rows, in slice order.
std::vector<int> blocks_with_rows(const Layout& layout, TensorKind tensor, const Blocks& blocks);
// Block by block, head by head; the order of a message.
std::vector<Atom> atoms_of(const Layout& layout, const Slice& slice);
Slice slice_of(const Atom& atom);

// Values of one row: Q, dQ Dqk; KV, dKV Dqk + Dv; State Dv + 2; Out Dv + 1; dO Dv; Stats 2.
std::int64_t values_per_row(const Problem& problem, TensorKind tensor);

template <class Real>
class Store {
 public:
  Store(const Plan& plan, int rank);

  struct Entry {
    Buffer<Real> buffer;  // empty while an accumulator that was given waits for the end of the step
    Buffer<Real> turned;  // Q or K turned by RoPE, where somebody asked for it
    std::uint16_t slot = 0;
    bool held = false;
  };

  std::int64_t size_of(const Atom& atom) const;  // in values
  Entry& at(const Atom& atom);
  const Entry& at(const Atom& atom) const;
  // Puts or overwrites; own blocks go to slot 0, whatever slot is named.
  void put(const Atom& atom, std::uint16_t slot, Buffer<Real> buffer);
  void erase(const Atom& atom);
  std::int64_t held_bytes() const { return held_bytes_; }

 private:
  std::size_t index(const Atom& atom) const;

  const Plan& plan_;
  int rank_;
  std::vector<Entry> entries_;  // [tensor][block][head]
  std::int64_t held_bytes_ = 0;
};

extern template class Store<float>;
extern template class Store<double>;

}  // namespace ringscope::cpu
