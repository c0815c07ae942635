// RoPE around the kernels: Q and K are stored and travel unturned, kernels see them turned, gradients are turned back.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backends/cpu/store.h"
#include "core/rope.h"

namespace ringscope::cpu {

// Tables of all blocks, made when first asked for and shared by the ranks of one run.
template <class Real>
class Turning {
 public:
  explicit Turning(const Plan& plan);

  bool on() const { return plan_.problem.terms.rope_base != 0; }
  // The values of a Q or KV block as kernels see them; the turned copy stays with the entry.
  const Real* turned(typename Store<Real>::Entry& entry, const Atom& atom) const;
  // dQ [B, rows, Dqk], or the dK of a dKV block, in place.
  void turn_back(const Atom& atom, Real* values) const;

 private:
  const RopeTable<Real>& table(Side side, int block) const;

  const Plan& plan_;
  MaskRows mask_;
  mutable std::vector<std::optional<RopeTable<Real>>> tables_;  // [side][block]
  std::unique_ptr<std::once_flag[]> made_;
};

extern template class Turning<float>;
extern template class Turning<double>;

}  // namespace ringscope::cpu
