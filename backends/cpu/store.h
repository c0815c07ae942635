// One rank's memory: which (tensor, block, head) it holds, and in which slot.
#pragma once
#include <algorithm>
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
    int read_until = -1;  // the last step in which a send of this may still be on its way
  };

  std::int64_t size_of(const Atom& atom) const;  // in values
  Entry& at(const Atom& atom);
  const Entry& at(const Atom& atom) const;
  // Puts or overwrites; own blocks go to slot 0, whatever slot is named.
  void put(const Atom& atom, std::uint16_t slot, Buffer<Real> buffer);
  void erase(const Atom& atom, int step);

  // Bytes are counted as the proof counts them (ScheduleFacts::peak_bytes), as a backend with copies would need them:
  // a replace has its place from the moment it is posted, a lagged send keeps its source until it has landed.
  void reserve(std::int64_t bytes) { grow(bytes); }
  void put_reserved(const Atom& atom, std::uint16_t slot, Buffer<Real> buffer);
  void end_step(int step);
  void note_staging(std::int64_t bytes) { peak_bytes_ = std::max(peak_bytes_, held_bytes_ + bytes); }
  std::int64_t peak_bytes() const { return peak_bytes_; }

 private:
  struct Release {
    int step;
    std::int64_t bytes;
  };

  std::size_t index(const Atom& atom) const;
  void grow(std::int64_t bytes);

  const Plan& plan_;
  int rank_;
  std::vector<Entry> entries_;  // [tensor][block][head]
  std::vector<Release> releases_;
  std::int64_t held_bytes_ = 0, peak_bytes_ = 0;
};

extern template class Store<float>;
extern template class Store<double>;

}  // namespace ringscope::cpu
