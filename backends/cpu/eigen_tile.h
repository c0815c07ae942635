// What the forward and the backward of the eigen kernel share: tile sizes, and the scores of a pair of tiles.
#pragma once
#include <algorithm>
#include <vector>

#include "backends/cpu/call_rows.h"
#include "backends/cpu/eigen_product.h"
#include "backends/cpu/tiles.h"

namespace ringscope::cpu {

// Eigen packs both factors of every product anew: wide tiles pay for that less often.
inline std::int64_t eigen_query_tile(const KernelOptions& options) {
  return 2 * options.tile;
}
inline std::int64_t eigen_key_tile(const KernelOptions& options) {
  return 4 * options.tile;
}

// One query tile of one head and batch item meets one key tile.
template <class Real>
struct TilePair {
  const AttendCall<Real>& call;
  std::int64_t batch, head;
  const HeadTerms<Real>& terms;
  Cover cover;
  Tile queries, keys;

  ConstMap<Real> query_matrix(const QueryRows<Real>& q) const {
    const std::int64_t dim = call.problem.dim_qk;
    return {q.q + queries.begin * dim, queries.size, dim};
  }

  // The same pair with no keys before the first and after the last that any of its rows sees.
  TilePair narrowed() const {
    if (cover == Cover::full) return *this;
    std::int64_t low = keys.size, high = 0;
    for (std::int64_t r = 0; r < queries.size; ++r) {
      for_each_run(call.view.spans(batch, queries.first + r), keys, [&](std::int64_t begin, std::int64_t end) {
        low = std::min(low, begin);
        high = std::max(high, end);
      });
    }
    TilePair pair = *this;
    pair.keys.begin += low;
    pair.keys.first += low;
    pair.keys.size = high - low;
    return pair;
  }

  // Calls seen(begin, end) for the keys that row r sees and hidden(begin, end) for the others, ascending.
  template <class Seen, class Hidden>
  void for_each_part(std::int64_t r, const Seen& seen, const Hidden& hidden) const {
    if (cover == Cover::full) return seen(std::int64_t{0}, keys.size);
    std::int64_t next = 0;
    for_each_run(call.view.spans(batch, queries.first + r), keys, [&](std::int64_t begin, std::int64_t end) {
      hidden(next, begin);
      seen(begin, end);
      next = end;
    });
    hidden(next, keys.size);
  }

  // q.k of row r becomes its scores; -inf where the mask hides the key.
  void score_row(std::int64_t r, Real* s) const {
    const std::int64_t p = terms.slope == 0 ? 0 : call.view.key_position(queries.first + r);
    const std::int64_t* positions = call.view.kv_positions().data() + keys.first;
    for_each_part(
        r,
        [&](std::int64_t begin, std::int64_t end) {
          if (terms.only_scale()) {
            for (std::int64_t j = begin; j < end; ++j) s[j] *= terms.scale;
            return;
          }
          for (std::int64_t j = begin; j < end; ++j) s[j] = terms.score(s[j], positions[j] - p);
        },
        [&](std::int64_t begin, std::int64_t end) { std::fill(s + begin, s + end, no_score<Real>); });
  }

  bool drops() const { return call.problem.terms.dropout != 0; }

  // What dropout makes of row r's weights: 0 or 1 / (1 - probability) each.
  void kept_row(std::int64_t r, Real* kept) const {
    DropoutRow<Real> dropout(call, batch, head, queries.first + r);
    for (std::int64_t j = 0; j < keys.size; ++j) kept[j] = dropout.kept(keys.first + j);
  }

  // The tile's rows of K or V, x [block rows, dim]. In a partial tile those that no row sees become 0: they may be NaN,
  // and a product would multiply them with weights of 0.
  ConstMap<Real> key_matrix(const Real* x, std::int64_t dim, std::vector<Real>& scratch) const {
    const Real* begin = x + keys.begin * dim;
    if (cover == Cover::full) return {begin, keys.size, dim};
    std::vector<bool> is_seen(static_cast<std::size_t>(keys.size), false);
    for (std::int64_t r = 0; r < queries.size; ++r) {
      for_each_run(call.view.spans(batch, queries.first + r), keys, [&](std::int64_t from, std::int64_t to) {
        std::fill(is_seen.begin() + from, is_seen.begin() + to, true);
      });
    }
    scratch.assign(static_cast<std::size_t>(keys.size * dim), Real(0));
    for (std::int64_t j = 0; j < keys.size; ++j) {
      if (is_seen[static_cast<std::size_t>(j)]) std::copy_n(begin + j * dim, dim, scratch.data() + j * dim);
    }
    return {scratch.data(), keys.size, dim};
  }
};

}  // namespace ringscope::cpu
