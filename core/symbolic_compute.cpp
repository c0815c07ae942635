// The verbs Attend and Finish of the symbolic run.
#include <string>

#include "core/index.h"
#include "core/symbolic_run.h"

namespace ringscope {

void SymbolicRun::compute(int step) {
  const auto attends = [&] {
    for (const Attend& a : plan_.schedule.attends_of(step)) attend(a, step);
  };
  const auto finishes = [&] {
    for (const Finish& f : plan_.schedule.finishes_of(step)) finish(f, step);
  };
  if (!backward(step)) attends();
  finishes();
  if (backward(step)) attends();
}

void SymbolicRun::attend(const Attend& a, int step) {
  ++operation_;
  const bool is_backward = backward(step);
  const auto present = [&](const Atom& atom) { require(a.rank, atom, step, "attends"); };
  for_each_atom(TensorKind::kv, a.kv, a.kv_heads, present);
  for_each_atom(TensorKind::q, a.q, a.q_heads, present);
  if (is_backward) {
    for_each_atom(TensorKind::d_o, a.q, a.q_heads, present);
    for_each_atom(TensorKind::stats, a.q, a.q_heads, present);
  }

  const Units kv_units = units_.units(Side::kv, a.kv_heads);
  kv_gains_.assign(at(a.kv.count) * at(kv_units.end - kv_units.begin), 0);
  std::int64_t pairs = 0;
  for_each_atom(is_backward ? TensorKind::dq : TensorKind::state, a.q, a.q_heads, [&](const Atom& atom) {
    const Gain gain = cover(a, atom, step);
    accumulator(a.rank, atom, a.acc_q, step).contributions += gain.tiles;
    pairs += gain.pairs;
  });
  PassFacts& facts = is_backward ? facts_.backward : facts_.forward;
  const int step_of_pass = is_backward ? step - static_cast<int>(facts_.forward.pairs.front().size()) : step;
  facts.pairs[at(a.rank)][at(step_of_pass)] += pairs;
  if (!is_backward) return;

  const int units = kv_units.end - kv_units.begin;
  for_each_atom(TensorKind::dkv, a.kv, a.kv_heads, [&](const Atom& atom) {
    const std::int32_t nth = (atom.block - a.kv.first) / a.kv.stride;
    accumulator(a.rank, atom, a.acc_kv, step).contributions +=
        kv_gains_[at(nth) * at(units) + at(atom.unit - kv_units.begin)];
  });
}

// Finds the accumulator that an attend writes, or makes it, which it does even if the mask leaves nothing to add.
HeldAtom& SymbolicRun::accumulator(int rank, const Atom& atom, int slot, int step) {
  HeldAtom* held = memory_.find(rank, atom);
  if (held == nullptr) return memory_.create(rank, atom, slot, step, operation_, ProofMemory::Bytes::to_count);
  if (held->sent == step) {
    log_.add(Rule::overwrite, step, rank, memory_.slice(atom), "attends into", " while it is being sent");
  }
  if (held->slot != slot && !memory_.at_home(rank, atom)) {
    log_.add(Rule::state_owner, step, rank, memory_.slice(atom), "attends into",
             " in slot " + std::to_string(slot) + ", but it lives in slot " + std::to_string(held->slot));
  }
  return *held;
}

// Marks what one query block and head unit meets in this attend.
SymbolicRun::Gain SymbolicRun::cover(const Attend& a, const Atom& q, int step) {
  const Units kv_units = units_.units(Side::kv, a.kv_heads);
  const Slice slice{TensorKind::q, {q.block, 1, 1}, units_.heads(Side::q, q.unit)};
  const int kv_unit = units_.kv_unit_of(q.unit);
  if (kv_unit < kv_units.begin || kv_unit >= kv_units.end) {
    log_.add(Rule::heads, step, a.rank, slice, "attends",
             ", which reads " + to_text({TensorKind::kv, a.kv, units_.heads(Side::kv, kv_unit)}) +
                 ", but the attend has heads " + std::to_string(a.kv_heads.begin) + "-" +
                 std::to_string(a.kv_heads.end));
    return {};
  }
  const std::size_t q_units = at(units_.count(Side::q));
  Bits& covered = of(covered_, step);
  Gain gain;
  for (std::int32_t i = 0; i < a.kv.count; ++i) {
    const std::int32_t kv_block = a.kv.at(i);
    const std::int64_t pairs = tiles_.pairs(q.block, kv_block);
    if (pairs == 0) continue;
    const auto mark = covered[tiles_.index(q.block, kv_block) * q_units + at(q.unit)];
    if (mark) {
      log_.add(Rule::coverage, step, a.rank, slice, "attends",
               " with KV b" + std::to_string(kv_block) + " a second time");
      continue;
    }
    covered[tiles_.index(q.block, kv_block) * q_units + at(q.unit)] = true;
    ++gain.tiles;
    gain.pairs += pairs * slice.heads.count();
    ++kv_gains_[at(i) * at(kv_units.end - kv_units.begin) + at(kv_unit - kv_units.begin)];
  }
  if (gain.tiles > 0 && !backward(step) && finished_[0][finish_index(q)]) {
    log_.add(Rule::finish, step, a.rank, slice, "attends", " after its Finish");
  }
  return gain;
}

std::size_t SymbolicRun::finish_index(const Atom& q) const {
  return at(q.block) * at(units_.count(Side::q)) + at(q.unit);
}

void SymbolicRun::finish(const Finish& f, int step) {
  ++operation_;
  for_each_atom(TensorKind::q, f.q, f.heads, [&](const Atom& q) {
    if (of(finished_, step)[finish_index(q)]) {
      log_.add(Rule::finish, step, f.rank, memory_.slice(q), "finishes", " a second time");
    }
    of(finished_, step)[finish_index(q)] = true;
    backward(step) ? finish_backward(f, q, step) : finish_forward(f, q, step);
  });
}

// State -> Out. An absent State is the empty one.
void SymbolicRun::finish_forward(const Finish& f, const Atom& q, int step) {
  const Atom state{TensorKind::state, q.block, q.unit}, out{TensorKind::out, q.block, q.unit};
  const HeldAtom* held = memory_.find(f.rank, state);
  if (held != nullptr && held->sent == step) {
    log_.add(Rule::overwrite, step, f.rank, memory_.slice(state), "finishes", " while it is being sent");
  }
  const std::int32_t have = held == nullptr ? 0 : held->contributions, want = tiles_.partners(Side::q, q.block);
  if (have != want) {
    log_.add(Rule::finish, step, f.rank, memory_.slice(state), "finishes",
             " with " + std::to_string(have) + " of the " + std::to_string(want) + " KV blocks it sees");
  }
  if (memory_.find(f.rank, out) == nullptr) {
    memory_.create(f.rank, out, f.slot, step, operation_, ProofMemory::Bytes::to_count);
  }
  memory_.remove(f.rank, state, step);
}

// Out, dO -> Stats.
void SymbolicRun::finish_backward(const Finish& f, const Atom& q, int step) {
  require(f.rank, {TensorKind::out, q.block, q.unit}, step, "finishes");
  require(f.rank, {TensorKind::d_o, q.block, q.unit}, step, "finishes");
  const Atom stats{TensorKind::stats, q.block, q.unit};
  if (memory_.find(f.rank, stats) == nullptr) {
    memory_.create(f.rank, stats, f.slot, step, operation_, ProofMemory::Bytes::to_count);
  }
}

}  // namespace ringscope
