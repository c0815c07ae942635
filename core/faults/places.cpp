#include "core/faults/places.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ringscope {

namespace {

void add_once(std::vector<FaultSite>& sites, int rank, int step) {
  const auto same = [&](const FaultSite& s) { return s.rank == rank && s.step == step; };
  if (std::any_of(sites.rbegin(), sites.rend(), same)) return;
  sites.push_back({rank, step, -1, "rank " + std::to_string(rank) + ", step " + std::to_string(step)});
}

void sort_sites(std::vector<FaultSite>& sites) {
  std::stable_sort(sites.begin(), sites.end(), [](const FaultSite& a, const FaultSite& b) {
    return std::pair(a.step, a.rank) < std::pair(b.step, b.rank);
  });
}

bool has_pairs(const Plan& plan, const AttendView& view) {
  for (std::int64_t b = 0; b < plan.problem.batch; ++b) {
    for (std::int64_t row = 0; row < view.rows(); ++row) {
      if (!view.spans(b, row).empty()) return true;
    }
  }
  return false;
}

// Rows that have a State with keys somewhere: (rank, batch, head, position).
struct Started {
  int rank = 0;
  std::int64_t batch = 0, head = 0, i = 0;
  auto operator<=>(const Started&) const = default;
};

}  // namespace

FaultKind numeric_fault(std::string_view name, std::string_view sentence, FaultSpread spread, Sites sites,
                        std::function<void(Mishap&)> set) {
  FaultKind kind{name, sentence, FaultFamily::numeric};
  kind.spread = spread;
  kind.sites = std::move(sites);
  kind.mishap = [set = std::move(set)](const Plan&) {
    Mishap mishap;
    set(mishap);
    return mishap;
  };
  return kind;
}

FaultKind everywhere(std::string_view name, std::string_view sentence, Sites sites, std::function<void(Mishap&)> set) {
  return numeric_fault(name, sentence, FaultSpread::everywhere, std::move(sites), std::move(set));
}

std::vector<LocalPlace> local_places(const Layout& layout, Side side, const Blocks& blocks) {
  std::vector<LocalPlace> out;
  for (std::int32_t n = 0; n < blocks.count; ++n) {
    const std::int64_t rows = layout.rows(side, blocks.at(n));
    for (std::int64_t row = 0; row < rows; ++row) out.push_back({blocks.at(n), row, rows});
  }
  return out;
}

bool any_pair(const Plan& plan, const Attend& attend, const AttendView& view,
              const std::function<bool(const MeetingPair& pair)>& visit) {
  const auto q = local_places(plan.layout, Side::q, attend.q), kv = local_places(plan.layout, Side::kv, attend.kv);
  const MaskRows mask = plan.problem.mask_rows();
  for (std::int64_t b = 0; b < plan.problem.batch; ++b) {
    for (std::size_t r = 0; r < q.size(); ++r) {
      const std::int64_t i = view.q_positions()[r];
      const KeyInterval seen = mask.row(b, i);
      for (std::size_t k = 0; k < kv.size(); ++k) {
        const std::int64_t j = view.kv_positions()[k];
        if (visit({b, i, j, q[r].block, kv[k].block, q[r].row, kv[k].row, kv[k].rows, seen.contains(j)})) return true;
      }
    }
  }
  return false;
}

Sites attends_where(AttendIs is) {
  return [is = std::move(is)](const Plan& plan) {
    std::vector<FaultSite> sites;
    for (int t = 0; t < plan.schedule.steps(); ++t) {
      for (const Attend& a : plan.schedule.attends_of(t)) {
        if (is(plan, t, a, AttendView(plan, a))) add_once(sites, a.rank, t);
      }
    }
    sort_sites(sites);
    return sites;
  };
}

Sites attends_where(ProblemIs is) {
  return [is = std::move(is)](const Plan& plan) {
    if (!is(plan.problem)) return std::vector<FaultSite>{};
    return attends_where([](const Plan& p, int, const Attend&, const AttendView& view) { return has_pairs(p, view); })(
        plan);
  };
}

Sites landings_where(MoveIs is) {
  return [is = std::move(is)](const Plan& plan) {
    std::vector<FaultSite> sites;
    for (int t = 0; t < plan.schedule.steps(); ++t) {
      for (const Move& m : plan.schedule.moves_of(t)) {
        if (m.to == nobody || m.to == m.from || plan.rows(m.slice()) == 0 || !is(plan, m)) continue;
        add_once(sites, m.to, t + m.lag);
      }
    }
    sort_sites(sites);
    return sites;
  };
}

Sites finishes_where(ProblemIs is) {
  return [is = std::move(is)](const Plan& plan) {
    std::vector<FaultSite> sites;
    if (!is(plan.problem)) return sites;
    for (int t = 0; t < plan.schedule.steps(); ++t) {
      if (plan.schedule.pass(t) != Pass::forward) continue;
      for (const Finish& f : plan.schedule.finishes_of(t)) {
        if (plan.rows({TensorKind::out, f.q, f.heads}) > 0) add_once(sites, f.rank, t);
      }
    }
    sort_sites(sites);
    return sites;
  };
}

Sites homes_where(std::function<bool(const Plan& plan, int rank)> is) {
  return [is = std::move(is)](const Plan& plan) {
    std::vector<FaultSite> sites;
    for (int r = 0; r < plan.layout.ranks; ++r) {
      if (is(plan, r)) add_once(sites, r, plan.schedule.steps() - 1);
    }
    return sites;
  };
}

Sites joins() {
  return [](const Plan& plan) {
    std::vector<FaultSite> sites;
    std::set<Started> started;
    const auto meets = [&](const Started& row) { return !started.insert(row).second; };
    for (int t = 0; t < plan.schedule.steps() && plan.schedule.pass(t) == Pass::forward; ++t) {
      for (const Attend& a : plan.schedule.attends_of(t)) {
        const AttendView view(plan, a);
        for (std::int64_t b = 0; b < plan.problem.batch; ++b) {
          for (std::int64_t row = 0; row < view.rows(); ++row) {
            if (view.spans(b, row).empty()) continue;
            const std::int64_t i = view.q_positions()[static_cast<std::size_t>(row)];
            for (int h = a.q_heads.begin; h < a.q_heads.end; ++h) {
              if (meets({a.rank, b, h, i})) add_once(sites, a.rank, t);
            }
          }
        }
      }
      for (const Move& m : plan.schedule.moves_of(t)) {
        if (m.tensor != TensorKind::state || m.to == nobody || m.to == m.from) continue;
        for (const LocalPlace& place : local_places(plan.layout, Side::q, m.blocks)) {
          const std::int64_t i = plan.layout.block(Side::q, place.block).position(place.row);
          for (std::int64_t b = 0; b < plan.problem.batch; ++b) {
            for (int h = m.heads.begin; h < m.heads.end; ++h) {
              if (!started.contains({m.from, b, h, i})) continue;
              if (meets({m.to, b, h, i}) && m.combine == Combine::merge) add_once(sites, m.to, t + m.lag);
            }
          }
        }
      }
    }
    sort_sites(sites);
    return sites;
  };
}

Sites joins_with_empty_rows() {
  return [](const Plan& plan) {
    std::set<Started> started;
    return attends_where([&](const Plan& p, int step, const Attend& a, const AttendView& view) {
      bool meets = false;
      if (p.schedule.pass(step) == Pass::backward || view.keys() == 0) return false;
      for (std::int64_t b = 0; b < p.problem.batch; ++b) {
        for (std::int64_t row = 0; row < view.rows(); ++row) {
          const std::int64_t i = view.q_positions()[static_cast<std::size_t>(row)];
          for (int h = a.q_heads.begin; h < a.q_heads.end; ++h) {
            const Started which{a.rank, b, h, i};
            if (!view.spans(b, row).empty()) {
              started.insert(which);
            } else if (started.contains(which)) {
              meets = true;
            }
          }
        }
      }
      return meets;
    })(plan);
  };
}

Sites parts_of_backward() {
  return attends_where([](const Plan& plan, int step, const Attend&, const AttendView& view) {
    if (plan.schedule.pass(step) != Pass::backward) return false;
    const MaskRows mask = plan.problem.mask_rows();
    for (std::int64_t b = 0; b < plan.problem.batch; ++b) {
      for (std::int64_t row = 0; row < view.rows(); ++row) {
        std::int64_t seen = 0;
        for (const LocalSpan& span : view.spans(b, row)) seen += span.end - span.begin;
        if (seen > 0 && seen < mask.row(b, view.q_positions()[static_cast<std::size_t>(row)]).size()) return true;
      }
    }
    return false;
  });
}

}  // namespace ringscope
