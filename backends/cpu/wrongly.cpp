#include "backends/cpu/wrongly.h"

#include <algorithm>

#include "backends/cpu/landing.h"
#include "core/faults/places.h"

namespace ringscope::cpu {

namespace {

template <class Real>
std::vector<double> widened(const Real* values, std::int64_t size) {
  return {values, values + size};
}

template <class Real>
void narrow(const std::vector<double>& values, Real* out) {
  std::transform(values.begin(), values.end(), out, [](double x) { return static_cast<Real>(x); });
}

// rowsum(dO * O) and LSE of a State, one row.
template <class Real>
RowStats stats_of(const Real* state, std::int64_t rows, std::int64_t row, std::int64_t dim_v, const Real* d_o) {
  std::vector<double> o = widened(state + 2 * rows + row * dim_v, dim_v);
  double m = state[row], l = state[rows + row];
  const double lse = StateRow<double>{m, l, o.data(), dim_v}.finish();
  double delta = 0;
  for (std::int64_t d = 0; d < dim_v; ++d) {
    delta += static_cast<double>(d_o[row * dim_v + d]) * o[static_cast<std::size_t>(d)];
  }
  return {lse, delta};
}

}  // namespace

template <class Real>
void Wrongly<Real>::Memory::begin(int at, Pass of) {
  if (of != pass) earlier.clear(), latest.clear();
  if (at != step || of != pass) {
    for (auto& [key, held] : latest) earlier[key] = std::move(held);
    latest.clear();
  }
  step = at;
  pass = of;
}

template <class Real>
const HeldBlock* Wrongly<Real>::before(const Memory& memory, TensorKind tensor, int head) const {
  const auto found = memory.earlier.find({tensor, head});
  return found == memory.earlier.end() ? nullptr : &found->second;
}

template <class Real>
Buffer<Real> Wrongly<Real>::read(TensorKind tensor, int block, int head, const Real* values, std::int64_t size,
                                 int step) {
  Buffer<Real> out(size);
  std::copy(values, values + size, out.data());
  if (!mishap_->read) return out;
  HeldBlock held{tensor, block, head, plan_.layout.rows(side_of(tensor), block), widened(values, size)};
  HeldBlock right = held;
  if (happens(step)) mishap_->read(spot(step), before(reads_, tensor, head), held);
  narrow(held.values, out.data());
  reads_.latest[{tensor, head}] = std::move(right);
  return out;
}

template <class Real>
AttendView Wrongly<Real>::seen(const Attend& attend, const AttendView& view, int step,
                               const std::function<bool(const Spot&, const MeetingPair&)>& pick) const {
  if (!pick || !happens(step)) return view;
  const std::int64_t rows = view.rows(), keys = view.keys();
  std::vector<bool> sees(static_cast<std::size_t>(plan_.problem.batch * rows * keys));  // [B, rows, keys]
  std::size_t at = 0;
  any_pair(plan_, attend, view, [&](const MeetingPair& pair) {
    sees[at++] = pick(spot(step), pair);
    return false;
  });
  return AttendView(view, plan_.problem.batch, [&](std::int64_t b, std::int64_t row, std::int64_t key) {
    return sees[static_cast<std::size_t>((b * rows + row) * keys + key)];
  });
}

template <class Real>
void Wrongly<Real>::join_rows(const BlockAndHead& which, std::int64_t rows, Real* into, const Real* part, int step) {
  const std::int64_t dim_v = plan_.problem.dim_v;
  std::vector<int>& parts = parts_[which];
  parts.resize(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r) {
    double m = into[r], l = into[rows + r];
    std::vector<double> o = widened(into + 2 * rows + r * dim_v, dim_v);
    const std::vector<double> brought = widened(part + 2 * rows + r * dim_v, dim_v);
    const StateRow<double> running{m, l, o.data(), dim_v};
    int& before = parts[static_cast<std::size_t>(r)];
    if (happens(step) && before > 0) {
      mishap_->join(running, {part[r], part[rows + r], brought, before});
    } else {
      running.merge(part[r], part[rows + r], brought.data());
    }
    if (part[r] != no_score<Real>) ++before;
    into[r] = static_cast<Real>(m);
    into[rows + r] = static_cast<Real>(l);
    narrow(o, into + 2 * rows + r * dim_v);
  }
}

// One query head of an Attend, with its KV head: copies of what is read, and where what it adds to lies.
template <class Real>
struct Wrongly<Real>::HeadAttend {
  AttendCall<Real> call;
  std::vector<Buffer<Real>> read;       // what `call` points into
  std::vector<int> q_blocks;            // with rows
  std::vector<std::int64_t> rows;       // [q_blocks] B * rows
  std::vector<const Real*> d_o, stats;  // [q_blocks] as the rank holds them
  std::vector<Real*> state, dq;         // [q_blocks]
};

template <class Real>
typename Wrongly<Real>::HeadAttend Wrongly<Real>::one_head(const Attend& attend, const AttendCall<Real>& call, int h,
                                                           const Problem& problem, const AttendView& view) {
  const int step = call.step;
  const bool is_wrong = happens(step);
  const std::vector<int> kv_blocks = blocks_with_rows(plan_.layout, TensorKind::kv, attend.kv);
  const int kv_head = mishap_->kv_head && is_wrong ? mishap_->kv_head(plan_.problem, h, call.kv_heads)
                                                   : static_cast<int>(h / plan_.problem.group());
  HeadAttend out{.call = {.problem = problem, .view = view, .dropout_seed = call.dropout_seed, .rank = rank_}};
  out.call.step = step;
  if (mishap_->dropout_seed && is_wrong) {
    out.call.dropout_seed = mishap_->dropout_seed(spot(step), call.dropout_seed);
  }
  out.call.q_heads = out.call.kv_heads = {static_cast<std::uint16_t>(h), static_cast<std::uint16_t>(h + 1)};
  out.call.q_rows = call.q_rows;
  out.call.kv_rows = call.kv_rows;
  out.q_blocks = blocks_with_rows(plan_.layout, TensorKind::q, attend.q);
  for (std::size_t n = 0; n < out.q_blocks.size(); ++n) {
    const auto at = static_cast<std::size_t>(h - call.q_heads.begin) * out.q_blocks.size() + n;
    out.rows.push_back(problem.batch * call.q_rows[n]);
    out.read.push_back(read(TensorKind::q, out.q_blocks[n], h, call.q[at], out.rows[n] * problem.dim_qk, step));
    out.call.q.push_back(out.read.back().data());
    if (!call.state.empty()) out.state.push_back(call.state[at]);
    if (call.dq.empty()) continue;
    out.d_o.push_back(call.d_o[at]);
    out.stats.push_back(call.stats[at]);
    out.dq.push_back(call.dq[at]);
  }
  for (std::size_t n = 0; n < kv_blocks.size(); ++n) {
    const auto at = static_cast<std::size_t>(kv_head - call.kv_heads.begin) * kv_blocks.size() + n;
    const std::int64_t size = problem.batch * call.kv_rows[n] * (problem.dim_qk + problem.dim_v);
    out.read.push_back(read(TensorKind::kv, kv_blocks[n], kv_head, call.kv[at], size, step));
    out.call.kv.push_back(out.read.back().data());
    if (!call.dkv.empty()) out.call.dkv.push_back(call.dkv[at]);
  }
  return out;
}

// What this Attend alone makes of the head's rows.
template <class Real>
std::vector<Buffer<Real>> Wrongly<Real>::alone(HeadAttend& head, const Kernel<Real>& kernel, RowEvents* events) const {
  std::vector<Buffer<Real>> parts;
  for (const int block : head.q_blocks) {
    parts.push_back(identity<Real>(plan_, {TensorKind::state, block, head.call.q_heads.begin}));
    head.call.state.push_back(parts.back().data());
  }
  kernel.forward(head.call, events);
  head.call.state.clear();
  return parts;
}

template <class Real>
void Wrongly<Real>::forward(HeadAttend& head, const Kernel<Real>& kernel, RowEvents* events) {
  if (!mishap_->join) {
    head.call.state = head.state;
    return kernel.forward(head.call, events);
  }
  const std::vector<Buffer<Real>> parts = alone(head, kernel, events);
  for (std::size_t n = 0; n < parts.size(); ++n) {
    join_rows({head.q_blocks[n], head.call.q_heads.begin}, head.rows[n], head.state[n], parts[n].data(),
              head.call.step);
  }
}

template <class Real>
void Wrongly<Real>::backward(HeadAttend& head, const Kernel<Real>& kernel) {
  const int step = head.call.step, h = head.call.q_heads.begin;
  const std::int64_t dim_v = plan_.problem.dim_v;
  const bool changes_stats = mishap_->stats_used && happens(step);
  std::vector<Buffer<Real>> parts;
  if (changes_stats) parts = alone(head, kernel, nullptr);
  for (std::size_t n = 0; n < head.q_blocks.size(); ++n) {
    const std::int64_t rows = head.rows[n];
    head.read.push_back(read(TensorKind::d_o, head.q_blocks[n], h, head.d_o[n], rows * dim_v, step));
    head.call.d_o.push_back(head.read.back().data());
    head.read.push_back(read(TensorKind::stats, head.q_blocks[n], h, head.stats[n], 2 * rows, step));
    Real* used = head.read.back().data();
    head.call.stats.push_back(used);
    for (std::int64_t r = 0; changes_stats && r < rows; ++r) {
      RowStats stats{used[r], used[rows + r]};
      mishap_->stats_used(stats_of(parts[n].data(), rows, r, dim_v, head.call.d_o[n]), stats);
      used[r] = static_cast<Real>(stats.lse);
      used[rows + r] = static_cast<Real>(stats.delta);
    }
  }
  head.call.dq = head.dq;
  kernel.backward(head.call);
}

// With queries of 0 and no terms all scores are 0: then only the maximum, or the LSE, has to be moved. A constant score
// has no gradient: nothing is added to dK with queries of 0, and dQ goes nowhere.
template <class Real>
void Wrongly<Real>::attend_extra(const Attend& attend, const AttendCall<Real>& call, const Kernel<Real>& kernel, int h,
                                 const Problem& problem, const Extra& extra) {
  const AttendView view = seen(attend, call.view, call.step, extra.pick);
  Problem scored = problem;
  if (extra.score) scored.terms.softcap = 0, scored.terms.alibi = false;
  HeadAttend head = one_head(attend, call, h, scored, view);
  const Real score = static_cast<Real>(extra.score.value_or(0));
  for (std::size_t n = 0; extra.score && n < head.q_blocks.size(); ++n) {
    std::fill_n(head.read[n].data(), head.rows[n] * problem.dim_qk, Real{0});
  }
  if (plan_.schedule.pass(call.step) == Pass::forward) {
    std::vector<Buffer<Real>> parts = alone(head, kernel, nullptr);
    for (std::size_t n = 0; n < parts.size(); ++n) {
      for (std::int64_t r = 0; r < head.rows[n]; ++r) parts[n].data()[r] += score;
      merge_state(head.state[n], parts[n].data(), head.rows[n], problem.dim_v);
    }
    return;
  }
  std::vector<Buffer<Real>> scratch;
  for (std::size_t n = 0; n < head.q_blocks.size(); ++n) {
    const std::int64_t rows = head.rows[n];
    Buffer<Real> stats(2 * rows), dq(rows * problem.dim_qk);
    std::copy_n(head.stats[n], 2 * rows, stats.data());
    for (std::int64_t r = 0; r < rows; ++r) stats.data()[r] -= score;
    std::fill_n(dq.data(), rows * problem.dim_qk, Real{0});
    head.call.d_o.push_back(head.d_o[n]);
    head.call.stats.push_back(stats.data());
    head.call.dq.push_back(extra.score ? dq.data() : head.dq[n]);
    scratch.push_back(std::move(stats)), scratch.push_back(std::move(dq));
  }
  kernel.backward(head.call);
}

template <class Real>
void Wrongly<Real>::attend(const Attend& attend, const AttendCall<Real>& call, const Kernel<Real>& kernel,
                           RowEvents* events) {
  const Pass pass = plan_.schedule.pass(call.step);
  reads_.begin(call.step, pass);
  const AttendView view = seen(attend, call.view, call.step, mishap_->sees);
  Problem problem = plan_.problem;
  if (mishap_->terms && happens(call.step)) mishap_->terms(spot(call.step), problem);
  problem.heads_kv = problem.heads_q;  // every query head comes with its own KV head
  for (int h = call.q_heads.begin; h < call.q_heads.end; ++h) {
    HeadAttend head = one_head(attend, call, h, problem, view);
    if (pass == Pass::forward) {
      forward(head, kernel, events);
    } else {
      backward(head, kernel);
    }
    if (!happens(call.step)) continue;
    if (mishap_->sees_again) attend_extra(attend, call, kernel, h, problem, {mishap_->sees_again, {}});
    if (!mishap_->masked_score) continue;
    const auto is_masked = [](const Spot&, const MeetingPair& pair) { return !pair.allowed; };
    attend_extra(attend, call, kernel, h, problem, {is_masked, mishap_->masked_score});
  }
}

template <class Real>
void Wrongly<Real>::land(const Atom& atom, int step, Buffer<Real>& brought) {
  if (!mishap_->landed || !brought) return;
  landings_.begin(step, plan_.schedule.pass(step));
  HeldBlock held{atom.tensor, atom.block, atom.head, plan_.layout.rows(side_of(atom.tensor), atom.block),
                 widened(brought.data(), brought.size())};
  HeldBlock right = held;
  if (happens(step)) {
    mishap_->landed(spot(step), before(landings_, atom.tensor, atom.head), held);
    brought = brought.copy();  // the sender may still own what is only read
    narrow(held.values, brought.data());
  }
  landings_.latest[{atom.tensor, atom.head}] = std::move(right);
}

template <class Real>
void Wrongly<Real>::add(const Atom& atom, int step, Buffer<Real>& into, const Buffer<Real>& brought) const {
  if (!mishap_->add || !happens(step)) return add_to(into.data(), brought.data(), into.size());
  std::vector<double> sum = widened(into.data(), into.size());
  mishap_->add(spot(step), atom.tensor, sum, widened(brought.data(), brought.size()));
  narrow(sum, into.data());
}

template <class Real>
void Wrongly<Real>::merge(const Atom& atom, int step, Buffer<Real>& into, const Buffer<Real>& brought) {
  const std::int64_t rows = plan_.problem.batch * plan_.layout.rows(Side::q, atom.block);
  if (!mishap_->join) return merge_state(into.data(), brought.data(), rows, plan_.problem.dim_v);
  join_rows({atom.block, atom.head}, rows, into.data(), brought.data(), step);
}

template <class Real>
void Wrongly<Real>::finished(const Atom& out, int step, const Buffer<Real>& state, std::optional<Real> sink,
                             Buffer<Real>& to) {
  if (!mishap_->finished || !happens(step)) return;
  const Problem& p = plan_.problem;
  const std::int64_t rows = p.batch * plan_.layout.rows(Side::q, out.block);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::vector<double> o = widened(to.data() + r * p.dim_v, p.dim_v);
    double lse = to.data()[rows * p.dim_v + r];
    FinishedRow row{.problem = p, .m = state.data()[r], .l = state.data()[rows + r], .o = o, .lse = lse};
    if (sink) row.sink_logit = *sink;
    mishap_->finished(row);
    for (double& x : o) x = round_to(output_type(p.type), x);
    narrow(o, to.data() + r * p.dim_v);
    to.data()[rows * p.dim_v + r] = static_cast<Real>(lse);
  }
}

template <class Real>
void Wrongly<Real>::stats_made(int step, Buffer<Real>& stats) const {
  if (!mishap_->stats_made || !happens(step)) return;
  const std::int64_t rows = stats.size() / 2;
  for (std::int64_t r = 0; r < rows; ++r) {
    RowStats made{stats.data()[r], stats.data()[rows + r]};
    mishap_->stats_made(made);
    stats.data()[r] = static_cast<Real>(made.lse);
    stats.data()[rows + r] = static_cast<Real>(made.delta);
  }
}

template class Wrongly<float>;
template class Wrongly<double>;

}  // namespace ringscope::cpu
