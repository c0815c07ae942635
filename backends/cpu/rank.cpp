#include "backends/cpu/rank.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "backends/cpu/exchange.h"
#include "backends/cpu/landing.h"

namespace ringscope::cpu {

namespace {

bool fits(TensorKind tensor, Combine combine) {
  switch (combine) {
    case Combine::replace:
      return true;
    case Combine::merge:
      return tensor == TensorKind::state;
    case Combine::add:
      return tensor == TensorKind::dq || tensor == TensorKind::dkv;
  }
  return false;
}

bool is_snapshot_tensor(TensorKind tensor) {
  return is_accumulator(tensor) || tensor == TensorKind::out;
}

}  // namespace

template <class Real>
CpuRank<Real>::CpuRank(Shared<Real>& shared, int rank)
    : shared_(shared),
      plan_(shared.plan),
      rank_(rank),
      store_(shared.plan, rank),
      landings_(static_cast<std::size_t>(plan_.schedule.steps())),
      departures_(landings_.size()),
      posted_seconds_(landings_.size()) {
  if (shared.options.mishap) wrongly_.emplace(plan_, rank, shared.options.mishap);
  for (int t = 0; t < plan_.schedule.steps(); ++t) {
    for (std::int64_t i = plan_.schedule.first_move(t); i < plan_.schedule.first_move(t + 1); ++i) {
      const Move& m = plan_.schedule.moves[static_cast<std::size_t>(i)];
      if (m.from == rank && (m.to == nobody || m.source == Source::give)) {
        departures_[static_cast<std::size_t>(t)].push_back(i);
      }
      const auto due = static_cast<std::size_t>(t + m.lag);
      if (m.to == rank && due < landings_.size()) landings_[due].push_back(i);
    }
  }
}

template <class Real>
void CpuRank<Real>::upload(const Inputs& inputs) {
  cpu::upload(plan_, rank_, inputs, store_);
  sink_logit_ = inputs.sink_logit;
  dropout_seed_ = inputs.dropout_seed;
  if (!sink_logit_.empty() && plan_.schedule.has_backward()) d_sink_.assign(sink_logit_.size(), Real{0});
}

template <class Real>
void CpuRank<Real>::post(const Posting& posting) {
  step_ = posting.step;
  shared_.world.enter(rank_, step_);
  posted_seconds_[static_cast<std::size_t>(step_)] = shared_.world.now_seconds();
  for (const std::int64_t i : posting.receives) {
    const Move& m = plan_.schedule.moves[static_cast<std::size_t>(i)];
    if (m.combine == Combine::replace) store_.reserve(plan_.bytes(m.slice()));
  }
  for (const std::int64_t i : posting.sends) {
    const Move& m = plan_.schedule.moves[static_cast<std::size_t>(i)];
    shared_.payloads[static_cast<std::size_t>(i)] = take(m);
    const Transit transit = shared_.world.send(i);
    events_.push_back({rank_, Lane::send, EventKind::move, step_, transit.sent_seconds, transit.arrived_seconds,
                       m.slice(), plan_.bytes(m.slice()), m.to});
  }
}

// A copy of an accumulator would be two owners of one memory; of what is only read, it is two readers.
template <class Real>
std::vector<Buffer<Real>> CpuRank<Real>::take(const Move& move) {
  std::vector<Buffer<Real>> payload;
  for (const Atom& atom : atoms_of(plan_.layout, move.slice())) {
    store_.at(atom).read_until = std::max(store_.at(atom).read_until, step_ + move.lag);
    if (!is_accumulator(atom.tensor)) {
      payload.push_back(present(store_, atom, now()).buffer);
      continue;
    }
    Buffer<Real>& mine = store_.at(atom).buffer;
    payload.push_back(move.source == Source::give || !mine ? std::exchange(mine, {}) : mine.copy());
  }
  return payload;
}

template <class Real>
void CpuRank<Real>::attend(std::int64_t attend_index) {
  const Attend& a = plan_.schedule.attends[static_cast<std::size_t>(attend_index)];
  const double begin = shared_.world.now_seconds();
  const AttendView view(plan_, a);
  AttendCall<Real> call = make_call(plan_, attend_index, view, store_, shared_.turning, now());
  call.dropout_seed = dropout_seed_;
  if (view.rows() > 0 && view.keys() > 0) {
    RowEvents* events = shared_.records_rows ? &row_events_ : nullptr;
    if (wrongly_) {
      wrongly_->attend(a, call, *shared_.kernel, events);
    } else if (plan_.schedule.pass(step_) == Pass::forward) {
      shared_.kernel->forward(call, events);
    } else {
      shared_.kernel->backward(call);
    }
  }
  record({.kind = EventKind::attend, .slice = {TensorKind::kv, a.kv, a.kv_heads}}, begin);
}

template <class Real>
void CpuRank<Real>::finish(std::int64_t finish_index) {
  const Finish& f = plan_.schedule.finishes[static_cast<std::size_t>(finish_index)];
  const double begin = shared_.world.now_seconds();
  const bool is_forward = plan_.schedule.pass(step_) == Pass::forward;
  for (const Atom& atom : atoms_of(plan_.layout, {TensorKind::out, f.q, f.heads})) {
    if (is_forward) {
      finish_forward(atom, f.slot);
    } else {
      finish_backward(atom, f.slot);
    }
  }
  record({.kind = EventKind::finish, .slice = {is_forward ? TensorKind::out : TensorKind::stats, f.q, f.heads}}, begin);
}

template <class Real>
void CpuRank<Real>::finish_forward(const Atom& out, std::uint16_t slot) {
  const Problem& p = plan_.problem;
  const Atom state{TensorKind::state, out.block, out.head};
  const Buffer<Real> from = store_.at(state).buffer ? store_.at(state).buffer : identity<Real>(plan_, state);
  Buffer<Real> to(store_.size_of(out));
  std::optional<Real> sink;
  if (p.terms.sink_logit) sink = static_cast<Real>(sink_logit_[static_cast<std::size_t>(out.head)]);
  finish_state(from.data(), p.batch * plan_.layout.rows(Side::q, out.block), p.dim_v, sink, output_type(p.type),
               to.data());
  if (wrongly_) wrongly_->finished(out, step_, from, sink, to);
  store_.put(out, slot, std::move(to));
  store_.erase(state, step_);
}

template <class Real>
void CpuRank<Real>::finish_backward(const Atom& out, std::uint16_t slot) {
  const Problem& p = plan_.problem;
  const std::int64_t rows = p.batch * plan_.layout.rows(Side::q, out.block);
  const Atom d_o{TensorKind::d_o, out.block, out.head}, stats{TensorKind::stats, out.block, out.head};
  Buffer<Real> to(store_.size_of(stats));
  finish_stats(present(store_, out, now()).buffer.data(), present(store_, d_o, now()).buffer.data(), rows, p.dim_v,
               to.data());
  if (p.terms.sink_logit) {
    const auto h = static_cast<std::size_t>(out.head);
    d_sink_[h] += cpu::sink_gradient(to.data(), rows, static_cast<Real>(sink_logit_[h]));
  }
  if (wrongly_) wrongly_->stats_made(step_, to);
  store_.put(stats, slot, std::move(to));
}

template <class Real>
void CpuRank<Real>::finish_step(int step) {
  std::int64_t staging = 0;  // of the largest add or merge
  for (const std::int64_t i : landings_[static_cast<std::size_t>(step)]) {
    const Move& m = plan_.schedule.moves[static_cast<std::size_t>(i)];
    const double begin = shared_.world.now_seconds();
    const Transit transit = shared_.world.receive(i);
    const std::int64_t bytes = plan_.bytes(m.slice());
    if (transit.waited) {
      events_.push_back(
          {rank_, Lane::wait, EventKind::wait, step, begin, shared_.world.now_seconds(), m.slice(), 0, m.from});
    }
    const double posted = posted_seconds_[static_cast<std::size_t>(step - m.lag)];
    events_.push_back({rank_, Lane::receive, EventKind::move, step, std::max(posted, transit.sent_seconds),
                       std::max(posted, transit.arrived_seconds), m.slice(), bytes, m.from});
    if (m.combine != Combine::replace) staging = std::max(staging, bytes);
    land(m, std::move(shared_.payloads[static_cast<std::size_t>(i)]));
  }
  store_.note_staging(staging);
  for (const std::int64_t i : departures_[static_cast<std::size_t>(step)]) leave_behind(i);
  store_.end_step(step);
}

template <class Real>
void CpuRank<Real>::land(const Move& move, std::vector<Buffer<Real>> payload) {
  if (!fits(move.tensor, move.combine)) {
    throw RankError(ErrorKind::unprovable, rank_, step_, move.slice(), "a landing that does not fit its tensor",
                    "State merged, dQ and dKV added, everything else replaced");
  }
  const double begin = shared_.world.now_seconds();
  const std::vector<Atom> atoms = atoms_of(plan_.layout, move.slice());
  for (std::size_t n = 0; n < atoms.size(); ++n) combine(move, atoms[n], std::move(payload[n]));
  if (move.combine != Combine::replace)
    record({.kind = EventKind::land, .slice = move.slice(), .peer = move.from}, begin);
}

template <class Real>
void CpuRank<Real>::combine(const Move& move, const Atom& atom, Buffer<Real> brought) {
  if (!brought) return;  // an absent accumulator is the identity
  if (wrongly_) wrongly_->land(atom, step_, brought);
  Buffer<Real>& mine = store_.at(atom).buffer;
  if (move.combine == Combine::replace) {
    store_.put_reserved(atom, move.slot, std::move(brought));
  } else if (!mine) {
    store_.put(atom, move.slot, std::move(brought));
  } else if (wrongly_ && move.combine == Combine::add) {
    wrongly_->add(atom, step_, mine, brought);
  } else if (wrongly_) {
    wrongly_->merge(atom, step_, mine, brought);
  } else if (move.combine == Combine::add) {
    add_to(mine.data(), brought.data(), mine.size());
  } else {
    const std::int64_t rows = plan_.problem.batch * plan_.layout.rows(Side::q, atom.block);
    merge_state(mine.data(), brought.data(), rows, plan_.problem.dim_v);
  }
}

template <class Real>
void CpuRank<Real>::leave_behind(std::int64_t move) {
  const Move& m = plan_.schedule.moves[static_cast<std::size_t>(move)];
  for (const Atom& atom : atoms_of(plan_.layout, m.slice())) {
    if (m.to != nobody || plan_.layout.owner(atom.block) != rank_) store_.erase(atom, step_);
  }
}

template <class Real>
void CpuRank<Real>::record(TraceEvent event, double begin_seconds) {
  event.rank = rank_;
  event.step = step_;
  event.begin_seconds = begin_seconds;
  event.end_seconds = shared_.world.now_seconds();
  events_.push_back(event);
  shared_.world.progress();
}

template <class Real>
void CpuRank<Real>::download(Outputs& outputs) const {
  cpu::download(plan_, rank_, store_, shared_.turning, outputs);
}

template <class Real>
Snapshot CpuRank<Real>::snapshot(int step) const {
  Snapshot snapshot{rank_, step, {}};
  for (int t = 0; t < tensor_kinds; ++t) {
    const auto tensor = static_cast<TensorKind>(t);
    if (!is_snapshot_tensor(tensor)) continue;
    const std::int64_t heads = side_of(tensor) == Side::q ? plan_.problem.heads_q : plan_.problem.heads_kv;
    for (int block = 0; block < plan_.layout.blocks(); ++block) {
      for (int h = 0; h < heads; ++h) {
        const auto& entry = store_.at({tensor, block, h});
        if (!entry.buffer) continue;
        const std::span<Real> values = entry.buffer.values();
        snapshot.held.push_back({tensor, block, h, entry.slot, {values.begin(), values.end()}});
      }
    }
  }
  return snapshot;
}

template class CpuRank<float>;
template class CpuRank<double>;

}  // namespace ringscope::cpu
