// Numeric faults of scores: scale, softcap, ALiBi, RoPE, dropout, and which heads and rows meet.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/faults/places.h"
#include "core/rope.h"

namespace ringscope {

namespace {

int head_mod(const Problem&, int q_head, const Heads& present) {
  return present.begin + q_head % present.count();
}

bool maps_otherwise(const Plan& plan, const Attend& a) {
  for (int h = a.q_heads.begin; h < a.q_heads.end; ++h) {
    if (head_mod(plan.problem, h, a.kv_heads) != h / plan.problem.group()) return true;
  }
  return false;
}

// The kernel is given other score terms; applies where they differ from the right ones.
FaultKind other_terms(std::string_view name, std::string_view sentence, std::function<void(Problem&)> change,
                      bool backward_alone = false) {
  const auto differs = [change, backward_alone](const Problem& right) {
    Problem wrong = right;
    change(wrong);
    const bool same_scale = wrong.scale() == right.scale();
    wrong.terms.scale = right.terms.scale;
    return (!same_scale || !(wrong.terms == right.terms)) && (!backward_alone || right.has_backward());
  };
  Sites sites = attends_where(differs);
  if (backward_alone) {
    sites = [inner = std::move(sites)](const Plan& plan) {
      std::vector<FaultSite> all = inner(plan);
      std::erase_if(all, [&](const FaultSite& s) { return plan.schedule.pass(s.step) == Pass::forward; });
      return all;
    };
  }
  return everywhere(name, sentence, std::move(sites), [change, backward_alone](Mishap& mishap) {
    mishap.terms = [change, backward_alone](const Spot& spot, Problem& p) {
      if (!backward_alone || spot.pass == Pass::backward) change(p);
    };
  });
}

FaultKind other_reading(std::string_view name, std::string_view sentence, ProblemIs is,
                        std::function<void(const Spot&, HeldBlock&)> change) {
  return everywhere(name, sentence, attends_where(std::move(is)), [change = std::move(change)](Mishap& mishap) {
    mishap.read = [change](const Spot& spot, const HeldBlock*, HeldBlock& held) { change(spot, held); };
  });
}

// Q and K, already turned, turned further by (local row - position): what local rotary tables give.
void turn_by_local_rows(const Spot& spot, HeldBlock& held) {
  if (held.tensor != TensorKind::q && held.tensor != TensorKind::kv) return;
  const Problem& p = spot.plan.problem;
  const Side side = side_of(held.tensor);
  const MaskRows mask = p.mask_rows();
  std::vector<std::int64_t> by;
  for (std::int64_t r = 0; r < held.rows; ++r) {
    const std::int64_t position = spot.plan.layout.block(side, held.block).position(r);
    by.push_back(r - (side == Side::q ? mask.key_position(position) : position));
  }
  const RopeTable<double> table(p.terms.rope_base, p.dim_qk, by);
  for (std::int64_t r = 0; r < p.batch * held.rows; ++r) table.turn(r % held.rows, held.values.data() + r * p.dim_qk);
}

// The last row of the first batch item takes the query of the row before.
void shift_query(const Spot& spot, HeldBlock& held) {
  if (held.tensor != TensorKind::q || held.rows < 2) return;
  const std::int64_t dim = spot.plan.problem.dim_qk;
  double* row = held.values.data() + (held.rows - 1) * dim;
  std::copy(row - dim, row, row);
}

// The first row of the first batch item takes the query of the row after.
void shift_query_back(const Spot& spot, HeldBlock& held) {
  if (held.tensor != TensorKind::q || held.rows < 2) return;
  const std::int64_t dim = spot.plan.problem.dim_qk;
  std::copy_n(held.values.begin() + dim, dim, held.values.begin());
}

bool first_row_sees(const Plan& plan, int step, const Attend&, const AttendView& view) {
  return plan.schedule.pass(step) == Pass::forward && view.rows() > 1 && !view.spans(0, 0).empty();
}

bool last_row_sees(const Plan& plan, int step, const Attend&, const AttendView& view) {
  return plan.schedule.pass(step) == Pass::forward && view.rows() > 1 && !view.spans(0, view.rows() - 1).empty();
}

}  // namespace

std::vector<FaultKind> score_faults() {
  const Sites heads_differ = attends_where([](const Plan& plan, int, const Attend& a, const AttendView& view) {
    return maps_otherwise(plan, a) && any_pair(plan, a, view, [](const MeetingPair& pair) { return pair.allowed; });
  });
  FaultKind row_before =
      everywhere("row-reads-row-before", "a row is computed with the query of the row before",
                 attends_where(last_row_sees), [](Mishap& mishap) {
                   mishap.read = [](const Spot& spot, const HeldBlock*, HeldBlock& held) { shift_query(spot, held); };
                 });
  row_before.spread = FaultSpread::one_place;
  FaultKind row_after = everywhere("row-reads-row-after", "a row is computed with the query of the row after",
                                   attends_where(first_row_sees), [](Mishap& mishap) {
                                     mishap.read = [](const Spot& spot, const HeldBlock*, HeldBlock& held) {
                                       shift_query_back(spot, held);
                                     };
                                   });
  row_after.spread = FaultSpread::one_place;
  const ProblemIs has_dropout = [](const Problem& p) { return p.terms.dropout > 0; };
  const ProblemIs replays_dropout = [](const Problem& p) { return p.terms.dropout > 0 && p.has_backward(); };
  return {
      everywhere("gqa-head-mod", "query head h reads KV head h mod Hkv instead of h / (Hq/Hkv)", heads_differ,
                 [](Mishap& mishap) { mishap.kv_head = head_mod; }),
      other_terms("scale-missing", "scores are not scaled", [](Problem& p) { p.terms.scale = 1; }),
      other_terms("scale-twice", "the scale is applied twice",
                  [](Problem& p) { p.terms.scale = p.scale() * p.scale(); }),
      other_terms("scale-1-over-d", "scores are multiplied by 1/D instead of 1/sqrt(D)",
                  [](Problem& p) { p.terms.scale = 1 / static_cast<double>(p.dim_qk); }),
      other_terms("scale-ignored", "the given scale is ignored for 1/sqrt(D)",
                  [](Problem& p) { p.terms.scale = std::nullopt; }),
      other_terms("exp-base-2", "weights are 2^s instead of e^s",
                  [](Problem& p) { p.terms.scale = p.scale() * math::log(2.0); }),
      other_terms(
          "backward-scale", "the backward recomputes scores with another scale than the forward",
          [](Problem& p) { p.terms.scale = 2 * p.scale(); }, true),
      other_terms("softcap-missing", "the softcap is not applied", [](Problem& p) { p.terms.softcap = 0; }),
      other_terms("softcap-before-scale", "the softcap is applied to q.k, before the scale",
                  [](Problem& p) { p.terms.softcap *= p.scale(); }),
      other_terms("alibi-missing", "ALiBi is not added", [](Problem& p) { p.terms.alibi = false; }),
      other_terms("dropout-missing", "no weight is dropped", [](Problem& p) { p.terms.dropout = 0; }),
      other_reading(
          "rope-local-positions", "rotary angles are of local rows instead of global positions",
          [](const Problem& p) { return p.terms.rope_base != 0; }, turn_by_local_rows),
      row_before,
      row_after,
      everywhere("dropout-by-rank", "every rank draws dropout from a seed of its own", attends_where(has_dropout),
                 [](Mishap& mishap) {
                   mishap.dropout_seed = [](const Spot& spot, std::uint64_t seed) {
                     return seed + 1 + static_cast<std::uint64_t>(spot.rank);
                   };
                 }),
      everywhere("dropout-not-replayed", "the backward drops other weights than the forward did",
                 attends_where(replays_dropout),
                 [](Mishap& mishap) {
                   mishap.dropout_seed = [](const Spot& spot, std::uint64_t seed) {
                     return spot.pass == Pass::backward ? seed + 1 : seed;
                   };
                 }),
  };
}

}  // namespace ringscope
