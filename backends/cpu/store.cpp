#include "backends/cpu/store.h"

#include <utility>

#include "core/error.h"

namespace ringscope::cpu {

std::vector<int> blocks_with_rows(const Layout& layout, TensorKind tensor, const Blocks& blocks) {
  std::vector<int> out;
  out.reserve(static_cast<std::size_t>(blocks.count));
  for (std::int32_t i = 0; i < blocks.count; ++i) {
    if (layout.rows(side_of(tensor), blocks.at(i)) > 0) out.push_back(blocks.at(i));
  }
  return out;
}

std::vector<Atom> atoms_of(const Layout& layout, const Slice& slice) {
  std::vector<Atom> out;
  out.reserve(static_cast<std::size_t>(slice.blocks.count * slice.heads.count()));
  for (std::int32_t i = 0; i < slice.blocks.count; ++i) {
    if (layout.rows(side_of(slice.tensor), slice.blocks.at(i)) == 0) continue;
    for (int h = slice.heads.begin; h < slice.heads.end; ++h) out.push_back({slice.tensor, slice.blocks.at(i), h});
  }
  return out;
}

Slice slice_of(const Atom& atom) {
  const auto head = static_cast<std::uint16_t>(atom.head);
  return {atom.tensor, {atom.block, 1, 1}, {head, static_cast<std::uint16_t>(head + 1)}};
}

std::int64_t values_per_row(const Problem& problem, TensorKind tensor) {
  switch (tensor) {
    case TensorKind::q:
    case TensorKind::dq:
      return problem.dim_qk;
    case TensorKind::kv:
    case TensorKind::dkv:
      return problem.dim_qk + problem.dim_v;
    case TensorKind::state:
      return problem.dim_v + 2;
    case TensorKind::out:
      return problem.dim_v + 1;
    case TensorKind::d_o:
      return problem.dim_v;
    case TensorKind::stats:
      return 2;
  }
  ensure(false, "a known tensor");
  return 0;
}

template <class Real>
Store<Real>::Store(const Plan& plan, int rank)
    : plan_(plan),
      rank_(rank),
      entries_(static_cast<std::size_t>(tensor_kinds * plan.layout.blocks() * plan.problem.heads_q)) {}

template <class Real>
std::size_t Store<Real>::index(const Atom& atom) const {
  const std::int64_t block = static_cast<int>(atom.tensor) * plan_.layout.blocks() + atom.block;
  return static_cast<std::size_t>(block * plan_.problem.heads_q + atom.head);
}

template <class Real>
std::int64_t Store<Real>::size_of(const Atom& atom) const {
  return plan_.problem.batch * plan_.layout.rows(side_of(atom.tensor), atom.block) *
         values_per_row(plan_.problem, atom.tensor);
}

template <class Real>
typename Store<Real>::Entry& Store<Real>::at(const Atom& atom) {
  return entries_[index(atom)];
}

template <class Real>
const typename Store<Real>::Entry& Store<Real>::at(const Atom& atom) const {
  return entries_[index(atom)];
}

template <class Real>
void Store<Real>::grow(std::int64_t bytes) {
  held_bytes_ += bytes;
  note_staging(0);
}

template <class Real>
void Store<Real>::put(const Atom& atom, std::uint16_t slot, Buffer<Real> buffer) {
  if (!at(atom).held) grow(plan_.bytes(slice_of(atom)));
  put_reserved(atom, slot, std::move(buffer));
}

template <class Real>
void Store<Real>::put_reserved(const Atom& atom, std::uint16_t slot, Buffer<Real> buffer) {
  const std::uint16_t lives_in = plan_.layout.owner(atom.block) == rank_ ? home_slot : slot;
  at(atom) = {.buffer = std::move(buffer), .slot = lives_in, .held = true};
}

template <class Real>
void Store<Real>::erase(const Atom& atom, int step) {
  Entry& entry = at(atom);
  if (!entry.held) return;
  const std::int64_t bytes = plan_.bytes(slice_of(atom));
  if (entry.read_until > step) {
    releases_.push_back({entry.read_until, bytes});
  } else {
    held_bytes_ -= bytes;
  }
  entry = {};
}

template <class Real>
void Store<Real>::end_step(int step) {
  std::erase_if(releases_, [&](const Release& release) {
    if (release.step > step) return false;
    held_bytes_ -= release.bytes;
    return true;
  });
}

template class Store<float>;
template class Store<double>;

}  // namespace ringscope::cpu
