#include "backends/cpu/attend_call.h"

#include <algorithm>
#include <limits>

#include "core/rank_error.h"

namespace ringscope::cpu {

namespace {

// One pointer per head and block with rows, heads outermost.
template <class Pointer, class Get>
std::vector<Pointer> pointers(TensorKind tensor, const std::vector<int>& blocks, const Heads& heads, const Get& get) {
  std::vector<Pointer> out;
  out.reserve(blocks.size() * static_cast<std::size_t>(heads.count()));
  for (int h = heads.begin; h < heads.end; ++h) {
    for (const int block : blocks) out.push_back(get(Atom{tensor, block, h}));
  }
  return out;
}

std::vector<std::int64_t> rows_of(const Layout& layout, Side side, const std::vector<int>& blocks) {
  std::vector<std::int64_t> out;
  out.reserve(blocks.size());
  for (const int block : blocks) out.push_back(layout.rows(side, block));
  return out;
}

}  // namespace

template <class Real>
typename Store<Real>::Entry& present(Store<Real>& store, const Atom& atom, Moment when) {
  typename Store<Real>::Entry& entry = store.at(atom);
  if (entry.buffer) return entry;
  throw RankError(ErrorKind::unprovable, when.rank, when.step, slice_of(atom), "used, but it is not on this rank",
                  "a plan that schedule_check proves", "run `ringscope prove` on the plan");
}

template <class Real>
Buffer<Real> identity(const Plan& plan, const Atom& atom) {
  const std::int64_t rows = plan.problem.batch * plan.layout.rows(side_of(atom.tensor), atom.block);
  Buffer<Real> fresh(rows * values_per_row(plan.problem, atom.tensor));
  std::ranges::fill(fresh.values(), Real{0});
  if (atom.tensor == TensorKind::state) std::fill_n(fresh.data(), rows, -std::numeric_limits<Real>::infinity());
  return fresh;
}

template <class Real>
Buffer<Real>& accumulator(Store<Real>& store, const Plan& plan, const Atom& atom, std::uint16_t slot) {
  if (!store.at(atom).buffer) store.put(atom, slot, identity<Real>(plan, atom));
  return store.at(atom).buffer;
}

template <class Real>
AttendCall<Real> make_call(const Plan& plan, std::int64_t attend_index, const AttendView& view, Store<Real>& store,
                           const Turning<Real>& turning, Moment when) {
  const Attend& a = plan.schedule.attends[static_cast<std::size_t>(attend_index)];
  const std::vector<int> q = blocks_with_rows(plan.layout, TensorKind::q, a.q);
  const std::vector<int> kv = blocks_with_rows(plan.layout, TensorKind::kv, a.kv);
  const auto read = [&](const Atom& atom) -> const Real* { return present(store, atom, when).buffer.data(); };
  const auto read_turned = [&](const Atom& atom) { return turning.turned(present(store, atom, when), atom); };
  const auto add_q = [&](const Atom& atom) { return accumulator(store, plan, atom, a.acc_q).data(); };
  const auto add_kv = [&](const Atom& atom) { return accumulator(store, plan, atom, a.acc_kv).data(); };

  AttendCall<Real> call{.problem = plan.problem, .view = view, .rank = when.rank, .step = when.step};
  call.kv_slice = {TensorKind::kv, a.kv, a.kv_heads};
  call.q_heads = a.q_heads;
  call.kv_heads = a.kv_heads;
  call.q_rows = rows_of(plan.layout, Side::q, q);
  call.kv_rows = rows_of(plan.layout, Side::kv, kv);
  call.q = pointers<const Real*>(TensorKind::q, q, a.q_heads, read_turned);
  call.kv = pointers<const Real*>(TensorKind::kv, kv, a.kv_heads, read_turned);
  if (plan.schedule.pass(when.step) == Pass::forward) {
    call.state = pointers<Real*>(TensorKind::state, q, a.q_heads, add_q);
    return call;
  }
  call.d_o = pointers<const Real*>(TensorKind::d_o, q, a.q_heads, read);
  call.stats = pointers<const Real*>(TensorKind::stats, q, a.q_heads, read);
  call.dq = pointers<Real*>(TensorKind::dq, q, a.q_heads, add_q);
  call.dkv = pointers<Real*>(TensorKind::dkv, kv, a.kv_heads, add_kv);
  return call;
}

template typename Store<float>::Entry& present(Store<float>&, const Atom&, Moment);
template typename Store<double>::Entry& present(Store<double>&, const Atom&, Moment);
template Buffer<float> identity(const Plan&, const Atom&);
template Buffer<double> identity(const Plan&, const Atom&);
template Buffer<float>& accumulator(Store<float>&, const Plan&, const Atom&, std::uint16_t);
template Buffer<double>& accumulator(Store<double>&, const Plan&, const Atom&, std::uint16_t);
template AttendCall<float> make_call(const Plan&, std::int64_t, const AttendView&, Store<float>&, const Turning<float>&,
                                     Moment);
template AttendCall<double> make_call(const Plan&, std::int64_t, const AttendView&, Store<double>&,
                                      const Turning<double>&, Moment);

}  // namespace ringscope::cpu
