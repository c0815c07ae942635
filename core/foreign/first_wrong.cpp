#include "core/foreign/first_wrong.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/dense_rows.h"
#include "core/diagnosis/rank_rows.h"

namespace ringscope {

namespace {

// Sums of one row over some keys, with the weights of the whole row: l is then the keys' share of the weight.
struct Share {
  double l = 0;
  std::vector<double> o, dq;  // [Dv], [Dqk]
};

// One row of one query head, recomputed in fp64 rank by rank.
class RowShares {
 public:
  RowShares(const Foreign& foreign, const Layout& layout, const WrongRows& at)
      : foreign_(foreign), problem_(foreign.problem), at_(at), shares_(static_cast<std::size_t>(layout.ranks)) {
    take_weights();
    whole_.o.resize(static_cast<std::size_t>(problem_.dim_v));
    whole_.dq.resize(static_cast<std::size_t>(problem_.dim_qk));
    std::fill(shares_.begin(), shares_.end(), whole_);
    const RankRows owners(layout, problem_);
    for (const Key& key : keys_) {
      for (Share* share : {&whole_, &share_of(owners.of_key(key.at).rank)}) {
        share->l += key.p;
        add(key.p * key.kept, v_row(key.at), share->o);
      }
    }
    if (foreign.d_o && problem_.has_backward()) take_dq(owners);
    whole_.l = 1;  // with the sink
  }

  // The ranks whose keys explain the row when they count `times` times instead of once, in a wrong O or LSE ...
  std::vector<int> explain_forward(double times, const Judged& judged) const {
    std::vector<int> ranks;
    for (std::size_t r = 0; r < shares_.size(); ++r) {
      const double l = whole_.l + (times - 1) * shares_[r].l;
      if (shares_[r].l == 0 || l < 1e-6) continue;
      std::vector<double> o = whole_.o;
      add(times - 1, shares_[r].o.data(), o);
      for (double& x : o) x /= l;
      const bool fits_lse = fits(judged, Output::lse, {lse_ + std::log(l)});
      if (fits_lse && fits(judged, Output::o, o)) ranks.push_back(static_cast<int>(r));
    }
    return ranks;
  }

  // ... and in a wrong dQ alone.
  std::vector<int> explain_dq(double times, const Judged& judged) const {
    std::vector<int> ranks;
    for (std::size_t r = 0; r < shares_.size(); ++r) {
      std::vector<double> dq = whole_.dq;
      add(times - 1, shares_[r].dq.data(), dq);
      if (shares_[r].l > 0 && fits(judged, Output::dq, dq)) ranks.push_back(static_cast<int>(r));
    }
    return ranks;
  }

 private:
  std::vector<double> read(const ReadHead& tensor, Shape shape, std::int64_t head) const {
    std::vector<double> rows(static_cast<std::size_t>(shape.rows * shape.dim));
    tensor(at_.batch, head, rows);
    return rows;
  }

  // One key that the row sees.
  struct Key {
    std::int64_t at = 0;
    double score = 0, steepness = 1, kept = 1, p = 0;
  };

  void take_weights() {
    q_ = read(foreign_.q, problem_.shape_q(), at_.head);
    k_ = read(foreign_.k, problem_.shape_k(), at_.head / problem_.group());
    v_ = read(foreign_.v, problem_.shape_v(), at_.head / problem_.group());
    const MaskRows mask = problem_.mask_rows();
    const Scorer<double> scorer(problem_, foreign_.terms);
    DropoutRow dropout(problem_, foreign_.terms.dropout_seed, at_.batch, at_.head, at_.row);
    for_each_key(mask.row(at_.batch, at_.row), [&](std::int64_t j) {
      const double product = dot(q_.data() + at_.row * problem_.dim_qk, k_row(j), problem_.dim_qk);
      const Score<double> score = scorer(product, at_.head, mask.key_position(at_.row), j);
      keys_.push_back({j, score.value, score.steepness, dropout.factor<double>(j), 0});
    });
    lse_ = log_of_sum();
    for (Key& key : keys_) key.p = std::exp(key.score - lse_);
  }

  void take_dq(const RankRows& owners) {
    const std::vector<double> d_o = read(foreign_.d_o, problem_.shape_o(), at_.head);
    const double* mine = d_o.data() + at_.row * problem_.dim_v;
    const double delta = dot(mine, static_cast<const double*>(whole_.o.data()), problem_.dim_v);
    for (const Key& key : keys_) {
      const double dp = key.kept * dot(mine, v_row(key.at), problem_.dim_v);
      const double ds = problem_.scale() * key.p * (dp - delta) * key.steepness;
      add(ds, k_row(key.at), whole_.dq), add(ds, k_row(key.at), share_of(owners.of_key(key.at).rank).dq);
    }
  }

  static void add(double factor, const double* row, std::vector<double>& into) {
    for (std::size_t d = 0; d < into.size(); ++d) into[d] += factor * row[d];
  }
  Share& share_of(int rank) { return shares_[static_cast<std::size_t>(rank)]; }
  const double* k_row(std::int64_t j) const { return k_.data() + j * problem_.dim_qk; }
  const double* v_row(std::int64_t j) const { return v_.data() + j * problem_.dim_v; }

  double log_of_sum() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double>& sinks = foreign_.terms.sink_logit;
    const double sink = sinks.empty() ? -infinity : sinks[static_cast<std::size_t>(at_.head)];
    double m = sink, l = 0;
    for (const Key& key : keys_) m = std::max(m, key.score);
    for (const Key& key : keys_) l += std::exp(key.score - m);
    return m + std::log(sinks.empty() ? l : l + std::exp(sink - m));
  }

  // Within the row tolerance; an output that is not there fits.
  bool fits(const Judged& judged, Output output, const std::vector<double>& want) const {
    const ForeignOutput& given = foreign_.of(output);
    if (!given.read) return true;
    const std::vector<double> rows = read(given.read, shape_of(problem_, output), at_.head);
    for (std::size_t d = 0; d < want.size(); ++d) {
      const double x = rows[static_cast<std::size_t>(at_.row) * want.size() + d];
      if (!(std::abs(x - want[d]) <= judged.of(output).row_tolerance())) return false;
    }
    return true;
  }

  const Foreign& foreign_;
  const Problem& problem_;
  WrongRows at_;
  std::vector<double> q_, k_, v_;  // of the head
  std::vector<Key> keys_;
  double lse_ = 0;
  Share whole_;
  std::vector<Share> shares_;  // [ranks]
};

int kv_block_at_fault(const Foreign& foreign, const Judged& judged, const Layout& layout, const FirstWrong& first) {
  if (foreign.problem.terms.rope_base > 0) return -1;  // rows here are not turned
  const RowShares shares(foreign, layout, first.rows);
  std::vector<int> ranks;
  for (const double times : {0.0, 2.0}) {
    const bool of_dq = first.output == Output::dq;
    const std::vector<int> more = of_dq ? shares.explain_dq(times, judged) : shares.explain_forward(times, judged);
    ranks.insert(ranks.end(), more.begin(), more.end());
  }
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
  if (!of_key) out.kv_block = kv_block_at_fault(foreign, judged, *layout, out);
  return out;
}

}  // namespace ringscope
