#include "core/foreign/first_wrong.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/dense_rows.h"
#include "core/diagnosis/rank_rows.h"

namespace ringscope {

namespace {

// Unnormalised sums of one row over some keys, relative to the row's LSE: l is then the keys' share of the weight.
struct Share {
  double l = 0;
  std::vector<double> o;  // [Dv]
};

// One row of one query head, recomputed in fp64 rank by rank.
class RowShares {
 public:
  RowShares(const Foreign& foreign, const Layout& layout, const WrongRows& at)
      : foreign_(foreign), problem_(foreign.problem), at_(at), shares_(static_cast<std::size_t>(layout.ranks)) {
    const RankRows owners(layout, problem_);
    const std::vector<double> q = read(foreign.q, problem_.shape_q(), at.head);
    const std::vector<double> k = read(foreign.k, problem_.shape_k(), at.head / problem_.group());
    const std::vector<double> v = read(foreign.v, problem_.shape_v(), at.head / problem_.group());
    const MaskRows mask = problem_.mask_rows();
    const Scorer<double> scorer(problem_, foreign.terms);
    DropoutRow dropout(problem_, foreign.terms.dropout_seed, at.batch, at.head, at.row);
    std::vector<double> scores;
    const KeyInterval keys = mask.row(at.batch, at.row);
    for_each_key(keys, [&](std::int64_t j) {
      const double product = dot(q.data() + at.row * problem_.dim_qk, k.data() + j * problem_.dim_qk, problem_.dim_qk);
      scores.push_back(scorer(product, at.head, mask.key_position(at.row), j).value);
    });
    lse_ = log_of_sum(scores);
    whole_.o.resize(static_cast<std::size_t>(problem_.dim_v));
    for (Share& share : shares_) share.o = whole_.o;
    std::size_t n = 0;
    for_each_key(keys, [&](std::int64_t j) {
      const double p = std::exp(scores[n++] - lse_);
      const double kept = dropout.factor<double>(j);
      for (Share* share : {&whole_, &shares_[static_cast<std::size_t>(owners.of_key(j).rank)]}) {
        share->l += p;
        for (std::int64_t d = 0; d < problem_.dim_v; ++d) {
          share->o[static_cast<std::size_t>(d)] += p * kept * v[static_cast<std::size_t>(j * problem_.dim_v + d)];
        }
      }
    });
    whole_.l = 1;  // with the sink
  }

  // The rank whose keys explain the row when they count `times` times instead of once.
  std::vector<int> explained(double times, const Judged& judged) const {
    std::vector<int> ranks;
    for (std::size_t r = 0; r < shares_.size(); ++r) {
      const double l = whole_.l + (times - 1) * shares_[r].l;
      if (shares_[r].l == 0 || l < 1e-6) continue;
      if (fits(judged.of(Output::lse), Output::lse, {lse_ + std::log(l)}) &&
          fits(judged.of(Output::o), Output::o, o_with(times, r, l))) {
        ranks.push_back(static_cast<int>(r));
      }
    }
    return ranks;
  }

 private:
  std::vector<double> read(const ReadHead& tensor, Shape shape, std::int64_t head) const {
    std::vector<double> rows(static_cast<std::size_t>(shape.rows * shape.dim));
    tensor(at_.batch, head, rows);
    return rows;
  }

  double log_of_sum(const std::vector<double>& scores) const {
    double m = -std::numeric_limits<double>::infinity(), l = 0;
    const bool has_sink = !foreign_.terms.sink_logit.empty();
    const double sink = has_sink ? foreign_.terms.sink_logit[static_cast<std::size_t>(at_.head)] : m;
    for (const double s : scores) m = std::max(m, s);
    m = std::max(m, sink);
    for (const double s : scores) l += std::exp(s - m);
    return m + std::log(has_sink ? l + std::exp(sink - m) : l);
  }

  std::vector<double> o_with(double times, std::size_t rank, double l) const {
    std::vector<double> o = whole_.o;
    for (std::size_t d = 0; d < o.size(); ++d) o[d] = (o[d] + (times - 1) * shares_[rank].o[d]) / l;
    return o;
  }

  // Within the row tolerance; an output that is not there fits.
  bool fits(const JudgedOutput& judged, Output output, const std::vector<double>& want) const {
    const ForeignOutput& given = foreign_.of(output);
    if (!given.read) return true;
    const std::vector<double> rows = read(given.read, shape_of(problem_, output), at_.head);
    for (std::size_t d = 0; d < want.size(); ++d) {
      const double x = rows[static_cast<std::size_t>(at_.row) * want.size() + d];
      if (!(std::abs(x - want[d]) <= judged.row_tolerance())) return false;
    }
    return true;
  }

  const Foreign& foreign_;
  const Problem& problem_;
  WrongRows at_;
  double lse_ = 0;
  Share whole_;
  std::vector<Share> shares_;  // [ranks]
};

int kv_block_at_fault(const Foreign& foreign, const Judged& judged, const Layout& layout, const WrongRows& at) {
  if (foreign.problem.terms.rope_base > 0) return -1;  // rows here are not turned
  const RowShares shares(foreign, layout, at);
  std::vector<int> ranks = shares.explained(0, judged);
  for (const int rank : shares.explained(2, judged)) ranks.push_back(rank);
  return ranks.size() == 1 ? ranks.front() : -1;
}

}  // namespace

std::optional<FirstWrong> find_first_wrong(const Foreign& foreign, const Judged& judged,
                                           const std::optional<Layout>& layout) {
  const std::optional<Output> output = judged.first_wrong();
  if (!output) return std::nullopt;
  FirstWrong out{*output, *judged.of(*output).wrong};
  if (!layout) return out;
  const RankRows owners(*layout, foreign.problem);
  const bool of_key = *output == Output::dk || *output == Output::dv;
  const RankRow owner = of_key ? owners.of_key(out.rows.row) : owners.of_query(out.rows.row);
  out.rank = owner.rank, out.local_row = owner.row;
  if (*output == Output::o || *output == Output::lse) {
    out.kv_block = kv_block_at_fault(foreign, judged, *layout, out.rows);
  }
  return out;
}

}  // namespace ringscope
