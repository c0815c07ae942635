// Numeric faults of Finish: from State to O and LSE.
#include <algorithm>
#include <limits>
#include <utility>

#include "core/element_type.h"
#include "core/faults/places.h"
#include "core/pair_count.h"

namespace ringscope {

namespace {

using FinishRow = std::function<void(const FinishedRow&)>;

FaultKind finish_fault(std::string_view name, std::string_view sentence, Sites sites, FinishRow finish) {
  FaultKind kind{name, sentence, FaultFamily::numeric};
  kind.spread = FaultSpread::everywhere;
  kind.sites = std::move(sites);
  kind.mishap = [finish = std::move(finish)](const Plan&) {
    Mishap mishap;
    mishap.finished = finish;
    return mishap;
  };
  return kind;
}

bool is_empty(const FinishedRow& row) {
  return row.m == no_score<double>;
}

bool always(const Problem&) {
  return true;
}

// Empty rows: O and LSE become these.
FinishRow empty_rows(double o, double lse) {
  return [o, lse](const FinishedRow& row) {
    if (!is_empty(row)) return;
    std::fill(row.o.begin(), row.o.end(), o);
    row.lse = lse;
  };
}

// The sink logit is counted `times` instead of once.
FinishRow sink_counted(int times) {
  return [times](const FinishedRow& row) {
    if (is_empty(row)) return;
    const double of_sink = times * math::exp(row.sink_logit - row.lse), l = 1 - math::exp(row.sink_logit - row.lse);
    for (double& x : row.o) x /= l + of_sink;
    row.lse += math::log(l + of_sink);
  };
}

}  // namespace

std::vector<FaultKind> finish_faults() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Sites everywhere = finishes_where(always),
              empty = finishes_where([](const Problem&p) { return has_empty_rows(p) && !p.terms.sink_logit; });
  const Sites with_sink = finishes_where([](const Problem& p) { return p.terms.sink_logit; });
  return {
      finish_fault("lse-base-2", "lse is a logarithm to base 2", everywhere,
                   [](const FinishedRow& row) { row.lse /= math::log(2.0); }),
      finish_fault("lse-over-scale", "lse is divided by the scale", everywhere,
                   [](const FinishedRow& row) { row.lse /= row.problem.scale(); }),
      finish_fault("lse-is-max", "lse is the largest score, without the logarithm of the sum", everywhere,
                   [](const FinishedRow& row) { row.lse = std::max(row.m, row.sink_logit); }),
      finish_fault("lse-16-bit", "lse is kept in 16 bits", everywhere,
                   [](const FinishedRow& row) { row.lse = round_to(ElementType::bf16, row.lse); }),
      finish_fault("o-not-divided", "the output is not divided by the sum", everywhere,
                   [](const FinishedRow& row) {
                     if (is_empty(row)) return;
                     for (double& x : row.o) x *= math::exp(row.lse - row.m);
                   }),
      finish_fault("empty-row-nan", "rows that see no key become NaN", empty, empty_rows(nan, nan)),
      finish_fault("empty-row-lse-finite", "rows that see no key have a finite lse instead of -infinity", empty,
                   empty_rows(0, 0)),
      finish_fault("sink-not-in-sum", "the sink logit is not in the sum of the softmax", with_sink, sink_counted(0)),
      finish_fault("sink-counted-twice", "the sink logit is counted by two ranks", with_sink, sink_counted(2)),
  };
}

}  // namespace ringscope
