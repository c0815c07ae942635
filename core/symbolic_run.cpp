#include "core/symbolic_run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/index.h"

namespace ringscope {

namespace {

Combine combine_of(TensorKind tensor) {
  if (tensor == TensorKind::state) return Combine::merge;
  return is_accumulator(tensor) ? Combine::add : Combine::replace;
}

const char* word(Combine combine) {
  switch (combine) {
    case Combine::replace:
      return "replace";
    case Combine::add:
      return "add";
    case Combine::merge:
      return "merge";
  }
  return "";
}

}  // namespace

SymbolicRun::SymbolicRun(const Plan& plan, const HeadUnits& units, const TilePairs& tiles, ViolationLog& log)
    : plan_(plan), units_(units), tiles_(tiles), log_(log), memory_(plan, units, log), staging_(at(plan.layout.ranks)) {
  const std::size_t q_units = at(units.count(Side::q));
  facts_.has_backward = plan.problem.has_backward();
  for (const int pass : facts_.has_backward ? std::vector<int>{0, 1} : std::vector<int>{0}) {
    covered_[at(pass)].resize(tiles.size() * q_units);
    finished_[at(pass)].resize(at(plan.layout.blocks()) * q_units);
  }
  std::int64_t forward_steps = 0;
  for (const StepBegin& s : plan.schedule.step_begin) forward_steps += s.pass == Pass::forward;
  const std::size_t ranks = at(plan.layout.ranks);
  facts_.forward.pairs.assign(ranks, std::vector<std::int64_t>(at(forward_steps)));
  facts_.backward.pairs.assign(ranks, std::vector<std::int64_t>(at(plan.schedule.steps() - forward_steps)));
}

void SymbolicRun::run(const TellDone& tell) {
  const int steps = plan_.schedule.steps();
  for (int step = 0; step < steps && !memory_.too_large(); ++step) {
    tell_done(tell, static_cast<double>(step) / steps);
    post(step);
    compute(step);
    check_drops(step);
    land(step);
    empty_sources(step);
    memory_.end_step(step);
  }
  if (memory_.too_large()) {
    throw Error(ErrorKind::bad_request, "too large to prove: ranks that hold more than 2^26 pieces at once",
                "a schedule that gathers less, or fewer ranks or heads");
  }
  check_end();
}

// Sends read what was there when the step began, so all of them are posted before anything is computed.
void SymbolicRun::post(int step) {
  const std::int64_t end = plan_.schedule.first_move(step + 1);
  for (std::int64_t i = plan_.schedule.first_move(step); i < end; ++i) {
    const Move& m = plan_.schedule.moves[at(i)];
    if (m.to == nobody) continue;
    if (m.combine != combine_of(m.tensor)) {
      log_.add(Rule::combine, step, m.from, m.slice(), "moves",
               std::string(" with ") + word(m.combine) + ": want " + word(combine_of(m.tensor)));
    }
    if (is_accumulator(m.tensor) && m.source == Source::keep) {
      log_.add(Rule::state_owner, step, m.from, m.slice(), "keeps and sends", ": it would have two owners; give it");
    }
    for_each_atom(m.tensor, m.blocks, m.heads, [&](const Atom& atom) { post_send(m, atom, step); });
    count_transfer(m, step);
    if (m.lag == 0) continue;
    Late late{i, {}};
    for_each_atom(m.tensor, m.blocks, m.heads, [&](const Atom& atom) {
      const HeldAtom* held = memory_.find(m.from, atom);
      late.contributions.push_back(held == nullptr ? 0 : held->contributions);
    });
    late_[step + m.lag].push_back(std::move(late));
  }
}

// A drop comes after the step's computing: it may drop what that made, but not what only lands in this step.
void SymbolicRun::check_drops(int step) {
  for (const Move& m : plan_.schedule.moves_of(step)) {
    if (m.to != nobody) continue;
    if (is_accumulator(m.tensor)) {
      const Rule rule = m.tensor == TensorKind::state ? Rule::state_owner : Rule::gradient;
      log_.add(rule, step, m.from, m.slice(), "drops", " with what it has gathered");
    }
    for_each_atom(m.tensor, m.blocks, m.heads, [&](const Atom& atom) {
      if (!memory_.at_home(m.from, atom)) require(m.from, atom, step, "drops");
    });
  }
}

void SymbolicRun::post_send(const Move& m, const Atom& atom, int step) {
  if (m.combine == Combine::replace) memory_.reserve(m.to, atom, m.slot, step, step + m.lag);
  HeldAtom* held = memory_.find(m.from, atom);
  if (held == nullptr) return require(m.from, atom, step, "sends");
  if (is_accumulator(m.tensor) && held->sent == step) {
    log_.add(Rule::state_owner, step, m.from, memory_.slice(atom), "gives", " twice");
  }
  held->sent = step;
  held->read_until = std::max(held->read_until, step + m.lag);
}

void SymbolicRun::count_transfer(const Move& m, int step) {
  PassFacts& facts = backward(step) ? facts_.backward : facts_.forward;
  ++facts.transfers[static_cast<std::size_t>(m.tensor)];
  const std::uint64_t link = static_cast<std::uint64_t>(m.from) << 32 | static_cast<std::uint64_t>(m.to);
  link_bytes_[backward(step) ? 1 : 0][link] += plan_.bytes(m.slice());
}

void SymbolicRun::require(int rank, const Atom& atom, int step, const char* verb) {
  if (memory_.find(rank, atom) != nullptr) return;
  log_.add(Rule::presence, step, rank, memory_.slice(atom), verb, ", which is not there");
}

// Landings are applied in list order: those posted earlier first.
void SymbolicRun::land(int step) {
  const auto staged = [&](const Move& m) {
    if (m.combine == Combine::replace) return;
    staging_[at(m.to)] = std::max(staging_[at(m.to)], plan_.bytes(m.slice()));
  };
  for (const Late& late : late_[step]) {
    const Move& m = plan_.schedule.moves[at(late.move)];
    std::size_t next = 0;
    for_each_atom(m.tensor, m.blocks, m.heads,
                  [&](const Atom& atom) { land_atom(m, atom, late.contributions[next++], step); });
    staged(m);
  }
  late_.erase(step);
  for (const Move& m : plan_.schedule.moves_of(step)) {
    if (m.to == nobody || m.lag > 0) continue;
    for_each_atom(m.tensor, m.blocks, m.heads, [&](const Atom& atom) {
      const HeldAtom* source = memory_.find(m.from, atom);
      land_atom(m, atom, source == nullptr ? 0 : source->contributions, step);
    });
    staged(m);
  }
  for (int rank = 0; rank < plan_.layout.ranks; ++rank) {
    memory_.note_peak(rank, std::exchange(staging_[at(rank)], 0));
  }
}

void SymbolicRun::land_atom(const Move& m, const Atom& atom, std::int32_t contributions, int step) {
  HeldAtom* held = memory_.find(m.to, atom);
  if (held == nullptr) {
    const auto bytes = m.combine == Combine::replace ? ProofMemory::Bytes::reserved : ProofMemory::Bytes::to_count;
    memory_.create(m.to, atom, m.slot, step, landings_of(step), bytes).contributions = contributions;
    return;
  }
  if (m.combine == Combine::replace) {
    log_.add(Rule::overwrite, step, m.to, memory_.slice(atom), "receives", ", which is there already");
  } else if (held->sent == step) {
    log_.add(Rule::overwrite, step, m.to, memory_.slice(atom), "receives", " while it is being sent");
  } else if (held->slot != m.slot && !memory_.at_home(m.to, atom)) {
    log_.add(Rule::state_owner, step, m.to, memory_.slice(atom), "receives",
             " in slot " + std::to_string(m.slot) + ", but it lives in slot " + std::to_string(held->slot));
  }
  held->contributions += contributions;
}

// A give empties its source at the end of the step; a drop spares the rank's own blocks.
void SymbolicRun::empty_sources(int step) {
  for (const Move& m : plan_.schedule.moves_of(step)) {
    if (m.source == Source::keep) continue;
    for_each_atom(m.tensor, m.blocks, m.heads, [&](const Atom& atom) {
      if (m.to != nobody || !memory_.at_home(m.from, atom)) memory_.remove(m.from, atom, step);
    });
  }
}

}  // namespace ringscope
