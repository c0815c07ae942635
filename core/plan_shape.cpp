#include "core/plan_shape.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

[[noreturn]] void refuse_proof(const std::string& got, const std::string& want, const char* fix) {
  throw Error(ErrorKind::bad_request, "too large to prove: " + got, want, fix);
}

class ShapeCheck {
 public:
  ShapeCheck(const Plan& plan, ViolationLog& log) : plan_(plan), log_(log) {}

  bool problem_and_layout() {
    const Layout& l = plan_.layout;
    if (!accepted([&] { plan_.problem.validate(); })) return false;
    if (l.ranks < 1 || l.blocks_per_rank < 1) return say("a layout has at least one rank and one block per rank");
    const std::int64_t blocks = std::int64_t{l.ranks} * l.blocks_per_rank;
    if (size(l.q) != blocks || size(l.kv) != blocks) {
      return say("the layout has other blocks than its ranks: want " + std::to_string(blocks) + " on each side");
    }
    require_provable(plan_.problem, l);
    return accepted([&] { l.validate(plan_.problem.len_q, plan_.problem.len_kv); });
  }

  void steps() {
    const Schedule& s = plan_.schedule;
    StepBegin before;
    for (int t = 0; t < s.steps(); ++t) {
      const StepBegin& b = s.step_begin[static_cast<std::size_t>(t)];
      const bool rises = t == 0 ? b.move == 0 && b.attend == 0 && b.finish == 0
                                : b.move >= before.move && b.attend >= before.attend && b.finish >= before.finish;
      if (!rises) return (void)say("steps begin at 0 and never go back: step " + std::to_string(t) + " does");
      if (b.pass < before.pass) return (void)say("step " + std::to_string(t) + " is forward, after a backward step");
      before = b;
    }
    if (before.move > size(s.moves) || before.attend > size(s.attends) || before.finish > size(s.finishes)) {
      return (void)say("the last step begins behind the end of the lists");
    }
    const bool lists_without_steps = s.steps() == 0 && size(s.moves) + size(s.attends) + size(s.finishes) > 0;
    if (lists_without_steps) return (void)say("moves, attends or finishes without a step");
    const bool backward = s.steps() > 0 && s.step_begin.back().pass == Pass::backward;
    if (backward && !plan_.problem.has_backward()) say("the problem is forward only, but the plan has backward steps");
    if (!backward && plan_.problem.has_backward()) say("the problem asks for the backward, but no step is backward");
  }

  void items() {
    const Schedule& s = plan_.schedule;
    for (step_ = 0; step_ < s.steps(); ++step_) {
      for (const Move& m : s.moves_of(step_)) move(m);
      for (const Attend& a : s.attends_of(step_)) attend(a);
      for (const Finish& f : s.finishes_of(step_)) finish(f);
    }
    if (moved_bytes_ > 4e18) say("more bytes than can be counted");
  }

 private:
  template <class Items>
  static std::int64_t size(const Items& items) {
    return static_cast<std::int64_t>(items.size());
  }
  bool say(std::string sentence) {
    log_.add(Rule::shape, 0, 0, "the plan is malformed: " + std::move(sentence));
    return false;
  }
  bool say(std::string_view verb, const Slice& slice, int rank, std::string_view why) {
    log_.add(Rule::shape, step_, rank, slice, verb, why);
    return false;
  }

  template <class Check>
  bool accepted(const Check& check) {
    try {
      check();
    } catch (const Error& e) {
      return say(e.what());
    }
    return true;
  }

  bool rank(std::int64_t r) const { return r >= 0 && r < plan_.layout.ranks; }

  bool slice(std::string_view verb, const Slice& s, int rank) {
    const Blocks& b = s.blocks;
    const std::int64_t last = b.first + std::int64_t{b.count - 1} * b.stride;
    if (b.first < 0 || b.count < 1 || b.stride < 1 || last >= plan_.layout.blocks()) {
      return say(verb, s, rank, ": blocks are 0 to " + std::to_string(plan_.layout.blocks() - 1));
    }
    const std::int64_t heads = side_of(s.tensor) == Side::q ? plan_.problem.heads_q : plan_.problem.heads_kv;
    if (s.heads.begin >= s.heads.end || s.heads.end > heads) {
      return say(verb, s, rank, ": a head range is not empty and ends at most at " + std::to_string(heads));
    }
    if (plan_.rows(s) == 0) return say(verb, s, rank, ", which has no rows: leave it out");
    return true;
  }

  void move(const Move& m) {
    if (static_cast<int>(m.tensor) >= tensor_kinds || m.combine > Combine::merge || m.source > Source::give) {
      return (void)say("step " + std::to_string(step_) + " has a move of an unknown kind");
    }
    if (!rank(m.from) || (m.to != nobody && !rank(m.to)) || m.from == m.to) {
      return (void)say("moves", m.slice(), m.from,
                       " to rank " + std::to_string(m.to) + ": want two different ranks below " +
                           std::to_string(plan_.layout.ranks));
    }
    if (!slice("moves", m.slice(), m.from)) return;
    if (std::int64_t{step_} + m.lag >= plan_.schedule.steps()) {
      say("moves", m.slice(), m.from, " with lag " + std::to_string(m.lag) + ": it lands behind the last step");
    }
    if (m.to == nobody && (m.source != Source::give || m.lag != 0)) {
      say("drops", m.slice(), m.from, ": a drop gives, without lag");
    }
    moved_bytes_ += static_cast<double>(plan_.bytes(m.slice()));
  }

  void attend(const Attend& a) {
    if (!rank(a.rank)) return (void)say("step " + std::to_string(step_) + " attends on rank " + std::to_string(a.rank));
    slice("attends", {TensorKind::q, a.q, a.q_heads}, a.rank);
    slice("attends", {TensorKind::kv, a.kv, a.kv_heads}, a.rank);
  }

  void finish(const Finish& f) {
    if (!rank(f.rank)) {
      return (void)say("step " + std::to_string(step_) + " finishes on rank " + std::to_string(f.rank));
    }
    slice("finishes", {TensorKind::q, f.q, f.heads}, f.rank);
  }

  const Plan& plan_;
  ViolationLog& log_;
  int step_ = 0;
  double moved_bytes_ = 0;
};

}  // namespace

// Products of sizes stay far below 2^63, rows included.
void require_provable(const Problem& p, const Layout& layout) {
  const std::int64_t blocks = std::int64_t{layout.ranks} * layout.blocks_per_rank;
  if (blocks > most_tiles / blocks)
    refuse_proof(std::to_string(blocks) + " blocks", "at most 8192", "take fewer ranks");
  const std::int64_t tokens = std::max(p.len_q, p.len_kv);
  if (tokens > most_tokens) refuse_proof(std::to_string(tokens) + " tokens", "at most 2^30", "take fewer tokens");
  const double heads = static_cast<double>(p.batch) * static_cast<double>(p.heads_q);
  const double pairs = heads * static_cast<double>(p.len_q) * static_cast<double>(p.len_kv);
  if (pairs > 4e18) {
    refuse_proof(text_of(pairs) + " pairs of queries and keys, over batch and heads", "at most 4e18",
                 "take fewer tokens, heads or batch items");
  }
  const double dims = static_cast<double>(p.dim_qk + p.dim_v + 2) * 8;
  const double bytes = heads * static_cast<double>(p.len_q + p.len_kv) * dims;
  if (bytes > 1e17) {
    refuse_proof("tensors of " + text_of(bytes) + " bytes", "at most 1e17",
                 "take fewer tokens, heads or batch items, or smaller head dims");
  }
}

void check_shape(const Plan& plan, ViolationLog& log) {
  ShapeCheck check(plan, log);
  if (!check.problem_and_layout()) return;
  check.steps();
  if (log.empty()) check.items();
}

}  // namespace ringscope
