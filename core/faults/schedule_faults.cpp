// Faults that damage the plan itself: something that a rank should do is left out.
#include "core/error.h"
#include "core/faults/fault.h"
#include "core/pair_count.h"

namespace ringscope {

namespace {

using Counter = std::int64_t StepBegin::*;

template <class Item>
void erase_item(std::vector<Item>& items, std::vector<StepBegin>& steps, Counter counter, const FaultSite& site) {
  ensure(site.item >= 0 && site.item < static_cast<std::int64_t>(items.size()), "a fault's site lies in the schedule");
  items.erase(items.begin() + site.item);
  for (std::size_t t = static_cast<std::size_t>(site.step) + 1; t < steps.size(); ++t) --(steps[t].*counter);
}

std::int64_t pairs_of(const PairCounter& pairs, const Attend& a) {
  std::int64_t n = 0;
  for (std::int32_t q = 0; q < a.q.count; ++q) {
    for (std::int32_t kv = 0; kv < a.kv.count; ++kv) n += pairs.pairs(a.q.at(q), a.kv.at(kv));
  }
  return n;
}

// An attend that the mask leaves without pairs changes nothing when it is left out.
std::vector<FaultSite> attends_with_pairs(const Plan& plan) {
  std::vector<FaultSite> sites;
  const PairCounter pairs(plan.problem, plan.layout);
  const Schedule& s = plan.schedule;
  for (int t = 0; t < s.steps(); ++t) {
    for (std::int64_t i = s.first_attend(t); i < s.first_attend(t + 1); ++i) {
      const Attend& a = s.attends[static_cast<std::size_t>(i)];
      if (pairs_of(pairs, a) == 0) continue;
      sites.push_back({a.rank, t, i,
                       "rank " + std::to_string(a.rank) + " omits its attend of " +
                           to_text(Slice{TensorKind::q, a.q, a.q_heads}) + " with " +
                           to_text(Slice{TensorKind::kv, a.kv, a.kv_heads}) + at_step(t)});
    }
  }
  return sites;
}

void drop_attend(Plan& plan, const FaultSite& site) {
  erase_item(plan.schedule.attends, plan.schedule.step_begin, &StepBegin::attend, site);
}

std::vector<FaultSite> moves_between_ranks(const Plan& plan) {
  std::vector<FaultSite> sites;
  const Schedule& s = plan.schedule;
  for (int t = 0; t < s.steps(); ++t) {
    for (std::int64_t i = s.first_move(t); i < s.first_move(t + 1); ++i) {
      const Move& m = s.moves[static_cast<std::size_t>(i)];
      if (m.to == nobody || m.to == m.from || plan.rows(m.slice()) == 0) continue;
      sites.push_back({m.from, t, i,
                       "rank " + std::to_string(m.from) + " never sends " + to_text(m.slice()) + " to rank " +
                           std::to_string(m.to) + at_step(t)});
    }
  }
  return sites;
}

void drop_move(Plan& plan, const FaultSite& site) {
  erase_item(plan.schedule.moves, plan.schedule.step_begin, &StepBegin::move, site);
}

void attend_twice(Plan& plan, const FaultSite& site) {
  Schedule& s = plan.schedule;
  s.attends.insert(s.attends.begin() + site.item, s.attends[static_cast<std::size_t>(site.item)]);
  for (std::size_t t = static_cast<std::size_t>(site.step) + 1; t < s.step_begin.size(); ++t) ++s.step_begin[t].attend;
}

// The last forward step with pairs; its first attend names the place.
std::vector<FaultSite> last_forward_step(const Plan& plan) {
  std::vector<FaultSite> sites = attends_with_pairs(plan);
  std::erase_if(sites, [&](const FaultSite& s) { return plan.schedule.pass(s.step) == Pass::backward; });
  const int last = sites.empty() ? -1 : sites.back().step;
  std::erase_if(sites, [&](const FaultSite& s) { return s.step != last; });
  if (sites.empty() || last == 0) return {};
  const auto first = plan.schedule.first_attend(last);
  const int rank = plan.schedule.attends[static_cast<std::size_t>(first)].rank;
  return {{rank, last, first, "no rank attends" + at_step(last)}};
}

void drop_step(Plan& plan, const FaultSite& site) {
  Schedule& s = plan.schedule;
  const std::int64_t begin = s.first_attend(site.step), end = s.first_attend(site.step + 1);
  s.attends.erase(s.attends.begin() + begin, s.attends.begin() + end);
  for (std::size_t t = static_cast<std::size_t>(site.step) + 1; t < s.step_begin.size(); ++t) {
    s.step_begin[t].attend -= end - begin;
  }
}

std::vector<FaultSite> finishes_with_rows(const Plan& plan) {
  std::vector<FaultSite> sites;
  const Schedule& s = plan.schedule;
  for (int t = 0; t < s.steps(); ++t) {
    for (std::int64_t i = s.first_finish(t); i < s.first_finish(t + 1); ++i) {
      const Finish& f = s.finishes[static_cast<std::size_t>(i)];
      if (s.pass(t) == Pass::backward || plan.rows({TensorKind::out, f.q, f.heads}) == 0) continue;
      sites.push_back({f.rank, t, i,
                       "rank " + std::to_string(f.rank) + " never finishes " +
                           to_text(Slice{TensorKind::out, f.q, f.heads}) + at_step(t)});
    }
  }
  return sites;
}

void drop_finish(Plan& plan, const FaultSite& site) {
  erase_item(plan.schedule.finishes, plan.schedule.step_begin, &StepBegin::finish, site);
}

// A copy of dQ, dK, dV or a State stays behind: the same contribution in two places.
std::vector<FaultSite> given_accumulators(const Plan& plan) {
  std::vector<FaultSite> sites = moves_between_ranks(plan);
  std::erase_if(sites, [&](const FaultSite& site) {
    const Move& m = plan.schedule.moves[static_cast<std::size_t>(site.item)];
    return !is_accumulator(m.tensor) || m.source != Source::give;
  });
  for (FaultSite& site : sites) {
    const Move& m = plan.schedule.moves[static_cast<std::size_t>(site.item)];
    site.sentence =
        "rank " + std::to_string(m.from) + " keeps " + to_text(m.slice()) + " that it gives away" + at_step(site.step);
  }
  return sites;
}

void keep_given(Plan& plan, const FaultSite& site) {
  plan.schedule.moves[static_cast<std::size_t>(site.item)].source = Source::keep;
}

}  // namespace

std::vector<FaultKind> schedule_faults() {
  return {
      {"drop-block", "a rank omits one attend; the KV block travels on", FaultFamily::schedule, attends_with_pairs,
       drop_attend},
      {"drop-move", "a rank's move is missing from the schedule, for the sender and the receiver",
       FaultFamily::schedule, moves_between_ranks, drop_move},
      {"attend-twice", "a rank attends to the same KV block twice", FaultFamily::schedule, attends_with_pairs,
       attend_twice},
      {"ring-step-missing", "every rank stops one ring step too early", FaultFamily::schedule, last_forward_step,
       drop_step},
      {"drop-finish", "a rank never turns a State into an output", FaultFamily::schedule, finishes_with_rows,
       drop_finish},
      {"keep-given", "a rank keeps a copy of partial sums that it gives away", FaultFamily::schedule,
       given_accumulators, keep_given},
  };
}

}  // namespace ringscope
