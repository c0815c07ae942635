#include "core/diagnosis/unsaid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dense_rows.h"

namespace ringscope {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::int64_t few_keys = 256;  // up to here every interval of keys is tried
constexpr std::size_t most_fits = 24;   // of one row

struct Keys {
  std::int64_t lo = 0, hi = 0;
};

// One query row: its products with all keys and what was given; then, under one softcap and scale, sums over the keys
// before each, so that every interval costs Dv.
class ProbedRow {
 public:
  std::int64_t query = 0;
  Keys said;                     // by the mask as declared
  std::vector<double> products;  // q.k, [Skv]
  std::vector<double> o;         // as given, [Dv]
  std::optional<double> lse;

  void take(const std::vector<double>& v, double scale, double softcap) {
    const std::size_t dim = o.size();
    std::vector<double> scores(products.size());
    most_ = -never, largest_ = 0;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      scores[j] = scale * products[j];
      if (softcap > 0) scores[j] = softcap * std::tanh(scores[j] / softcap);
      most_ = std::max(most_, scores[j]), largest_ = std::max(largest_, std::abs(scores[j]));
    }
    weight_.assign(scores.size() + 1, 0), sum_.assign((scores.size() + 1) * dim, 0);
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const double p = std::exp(scores[j] - most_);
      weight_[j + 1] = weight_[j] + p;
      for (std::size_t d = 0; d < dim; ++d) sum_[(j + 1) * dim + d] = sum_[j * dim + d] + p * v[j * dim + d];
    }
  }

  // The error of o and lse over these keys, over what rounding may leave; given up above `most`.
  double error(const Keys& keys, double unit, double largest_v, double most) const {
    if (keys.lo >= keys.hi) return never;
    const std::size_t dim = o.size(), lo = static_cast<std::size_t>(keys.lo), hi = static_cast<std::size_t>(keys.hi);
    const double l = weight_[hi] - weight_[lo], scores = 0x1p-22 * largest_;
    if (l < 1e-9 * weight_.back()) return never;  // nothing is left of the digits
    double error = lse ? std::abs(most_ + std::log(l) - *lse) / (1e-4 + scores) : 0;
    const double allowed = (4 * unit + 1e-5 + scores) * largest_v;
    for (std::size_t d = 0; d < dim && error <= most; ++d) {
      error = std::max(error, std::abs((sum_[hi * dim + d] - sum_[lo * dim + d]) / l - o[d]) / allowed);
    }
    return error;
  }

 private:
  double most_ = 0, largest_ = 0;
  std::vector<double> weight_, sum_;  // over the keys before j: [Skv + 1], [Skv + 1, Dv]
};

class UnsaidSearch {
 public:
  UnsaidSearch(const Foreign& foreign, const MayBeUnsaid& may) : problem_(foreign.problem), may_(may) {
    const ForeignOutput &o = foreign.of(Output::o), &lse = foreign.of(Output::lse);
    unit_ = std::max(unit_roundoff(o.type), unit_roundoff(problem_.type));
    const std::vector<double> q = head(foreign.q, problem_.shape_q()), k = head(foreign.k, problem_.shape_k());
    v_ = head(foreign.v, problem_.shape_v());
    const std::vector<double> os = head(o.read, problem_.shape_o());
    const std::vector<double> lses = lse.read ? head(lse.read, problem_.shape_lse()) : std::vector<double>{};
    for (const double x : v_) largest_v_ = std::max(largest_v_, std::abs(x));
    const MaskRows mask = problem_.mask_rows();
    for (const std::int64_t quarter : {0, 1, 2, 3, 4}) {
      const std::int64_t i = quarter * (problem_.len_q - 1) / 4;
      if (!rows_.empty() && rows_.back().query == i) continue;
      ProbedRow row;
      row.query = i;
      const KeyInterval seen = mask.row(0, i);
      row.said = {seen.lo, seen.hi};
      for (std::int64_t j = 0; j < problem_.len_kv; ++j) {
        row.products.push_back(dot(q.data() + i * problem_.dim_qk, k.data() + j * problem_.dim_qk, problem_.dim_qk));
      }
      row.o.assign(os.begin() + i * problem_.dim_v, os.begin() + (i + 1) * problem_.dim_v);
      if (!lses.empty()) row.lse = lses[static_cast<std::size_t>(i)];
      rows_.push_back(std::move(row));
    }
  }

  std::vector<Unsaid> run() {
    for (const std::optional<double>& scale : scales()) {
      for (const std::optional<double>& softcap : softcaps()) {
        for (ProbedRow& row : rows_) {
          row.take(v_, scale.value_or(problem_.scale()), softcap.value_or(problem_.terms.softcap));
        }
        for (const Edges& edges : all_edges()) {
          const double error = error_of(edges);
          if (error <= 1) found_.push_back({softcap, scale, edges, error});
        }
      }
    }
    std::erase_if(found_, [](const Unsaid& u) { return u.words() == 0; });
    std::stable_sort(found_.begin(), found_.end(), [](const Unsaid& a, const Unsaid& b) {
      return std::pair(a.words(), a.error) < std::pair(b.words(), b.error);
    });
    return std::move(found_);
  }

 private:
  static std::vector<double> head(const ReadHead& read, const Shape& shape) {
    std::vector<double> rows(static_cast<std::size_t>(shape.rows * shape.dim));
    read(0, 0, rows);
    return rows;
  }

  std::vector<std::optional<double>> softcaps() const {
    std::vector<std::optional<double>> all{std::nullopt};
    if (!may_.softcap) return all;
    for (int c = 1; c <= 32 && problem_.len_kv <= 4 * few_keys; ++c) all.emplace_back(c);
    for (const double c : {2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 128}) all.emplace_back(c);
    return all;
  }
  std::vector<std::optional<double>> scales() const {
    if (!may_.scale) return {std::nullopt};
    return {std::nullopt, 1.0, 1 / static_cast<double>(problem_.dim_qk)};
  }

  Keys keys_of(const Edges& edges, const ProbedRow& row) const {
    Keys keys = row.said;
    const std::int64_t end = row.query + (edges.bottom_right ? problem_.len_kv - problem_.len_q : 0) + 1;
    if (edges.left) keys.lo = std::max(keys.lo, row.query - *edges.left);
    if (edges.right) keys.hi = std::min(keys.hi, end + *edges.right);
    if (edges.prefix) keys.hi = std::min(keys.hi, std::max(*edges.prefix, row.query + 1));
    return keys;
  }

  double error_of(const Edges& edges) const {
    double most = 0;
    for (const ProbedRow& row : rows_) {
      most = std::max(most, error(row, keys_of(edges, row), 1));
      if (most > 1) return never;
    }
    return most;
  }
  double error(const ProbedRow& row, const Keys& keys, double most) const {
    return row.error(keys, unit_, largest_v_, most);
  }

  // Edges that explain a row; all rows are asked later.
  std::vector<Edges> all_edges() const {
    std::vector<Edges> all{Edges{}};
    if (!may_.edges) return all;
    for (const ProbedRow& row : rows_) {
      for (const Keys& keys : fits(row)) add_edges(row, keys, all);
    }
    return all;
  }

  struct Fit {
    double error = 0;
    Keys keys;
  };

  std::vector<Keys> fits(const ProbedRow& row) const {
    const std::int64_t from_end = row.query + problem_.len_kv - problem_.len_q + 1;
    std::vector<std::int64_t> ends{row.said.hi, row.query + 1, from_end};
    for (std::int64_t hi = row.said.lo + 1; problem_.len_kv <= few_keys && hi < row.said.hi; ++hi) ends.push_back(hi);
    std::vector<Fit> fits;
    for (const std::int64_t hi : ends) {
      if (hi > row.said.hi || hi < 1) continue;
      for (std::int64_t lo = row.said.lo; lo < hi; ++lo) {
        const double e = error(row, {lo, hi}, 1);
        if (e <= 1) fits.push_back({e, {lo, hi}});
      }
    }
    std::sort(fits.begin(), fits.end(), [](const Fit& a, const Fit& b) { return a.error < b.error; });
    fits.resize(std::min(fits.size(), most_fits));
    std::vector<Keys> out;
    for (const Fit& fit : fits) out.push_back(fit.keys);
    return out;
  }

  void add_edges(const ProbedRow& row, const Keys& keys, std::vector<Edges>& all) const {
    std::vector<Edges> rights{Edges{}};
    const std::int64_t more = problem_.len_kv - problem_.len_q;
    if (keys.hi < row.said.hi) {
      rights.clear();
      const bool at_the_end = more != 0 && keys.hi == row.query + more + 1;
      if (at_the_end) rights.push_back({.right = 0, .bottom_right = true});
      if (!at_the_end && keys.hi > row.query) rights.push_back({.right = keys.hi - row.query - 1});
      if (keys.hi > row.query + 1) rights.push_back({.prefix = keys.hi});
    }
    for (Edges edges : rights) {
      const bool has_left = keys.lo > row.said.lo && keys.lo <= row.query;
      if (keys.lo > row.said.lo && (!has_left || edges.prefix || edges.bottom_right)) continue;
      if (has_left) edges.left = row.query - keys.lo;
      // A row too near to an edge of the tensor does not show the other side.
      for (const bool causal : {false, true}) {
        Edges one = edges;
        if (causal && (one.right || one.prefix)) continue;
        if (causal) one.right = 0;
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
      }
    }
  }

  const Problem& problem_;
  MayBeUnsaid may_;
  double unit_ = 0, largest_v_ = 0;
  std::vector<double> v_;  // [Skv, Dv]
  std::vector<ProbedRow> rows_;
  std::vector<Unsaid> found_;
};

}  // namespace

int Unsaid::words() const {
  return (softcap ? 1 : 0) + (scale ? 1 : 0) + (edges.left ? 1 : 0) + (edges.right || edges.prefix ? 1 : 0);
}

std::vector<Unsaid> find_unsaid(const Foreign& foreign, const MayBeUnsaid& may) {
  const ScoreTerms& terms = foreign.problem.terms;
  const bool others = terms.alibi || terms.rope_base > 0 || terms.dropout > 0 || terms.sink_logit;
  const bool any = may.softcap || may.scale || may.edges;
  if (others || !any || foreign.problem.mask.sinks > 0 || !foreign.of(Output::o).read) return {};
  return UnsaidSearch(foreign, may).run();
}

}  // namespace ringscope
