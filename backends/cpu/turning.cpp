#include "backends/cpu/turning.h"

namespace ringscope::cpu {

template <class Real>
Turning<Real>::Turning(const Plan& plan)
    : plan_(plan),
      mask_(plan.problem.mask_rows()),
      tables_(static_cast<std::size_t>(2 * plan.layout.blocks())),
      made_(std::make_unique<std::once_flag[]>(tables_.size())) {}

template <class Real>
const RopeTable<Real>& Turning<Real>::table(Side side, int block) const {
  const auto at = static_cast<std::size_t>(static_cast<int>(side) * plan_.layout.blocks() + block);
  std::call_once(made_[at], [&] {
    std::vector<std::int64_t> positions = plan_.layout.block(side, block).positions();
    if (side == Side::q) {
      for (std::int64_t& i : positions) i = mask_.key_position(i);
    }
    tables_[at].emplace(plan_.problem.terms.rope_base, plan_.problem.dim_qk, positions);
  });
  return *tables_[at];
}

template <class Real>
const Real* Turning<Real>::turned(typename Store<Real>::Entry& entry, const Atom& atom) const {
  if (!on()) return entry.buffer.data();
  if (entry.turned) return entry.turned.data();
  const Side side = side_of(atom.tensor);
  const RopeTable<Real>& turns = table(side, atom.block);
  const std::int64_t rows = plan_.layout.rows(side, atom.block), dim = plan_.problem.dim_qk;
  entry.turned = entry.buffer.copy();
  for (std::int64_t r = 0; r < plan_.problem.batch * rows; ++r) turns.turn(r % rows, entry.turned.data() + r * dim);
  return entry.turned.data();
}

template <class Real>
void Turning<Real>::turn_back(const Atom& atom, Real* values) const {
  if (!on()) return;
  const Side side = side_of(atom.tensor);
  const RopeTable<Real>& turns = table(side, atom.block);
  const std::int64_t rows = plan_.layout.rows(side, atom.block), dim = plan_.problem.dim_qk;
  for (std::int64_t r = 0; r < plan_.problem.batch * rows; ++r) turns.turn_back(r % rows, values + r * dim);
}

template class Turning<float>;
template class Turning<double>;

}  // namespace ringscope::cpu
