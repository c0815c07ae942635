// The naive kernel's bits, faster: every row stays one serial chain over its keys, and vectors run only across chains
// that do not touch, keys for q.k and dO.v, and head dims for O and the gradients (numerics contract 2).
#include <algorithm>

#include "backends/cpu/call_rows.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/parallel.h"
#include "backends/cpu/tiles.h"

namespace ringscope::cpu {

namespace {

// [rows, dim] -> [dim, rows], so that neighbouring keys are neighbours in memory.
template <class Real>
void transpose(const Real* x, std::int64_t rows, std::int64_t dim, Real* out) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t d = 0; d < dim; ++d) out[d * rows + r] = x[r * dim + d];
  }
}

// out[j] = sum over d of a[d] b[d, j], d ascending in every j.
template <class Real>
void dots(const Real* a, const Real* b, std::int64_t dim, std::int64_t keys, Real* __restrict out) {
  for (std::int64_t j = 0; j < keys; ++j) out[j] = 0;
  for (std::int64_t d = 0; d < dim; ++d) {
    const Real x = a[d];
    const Real* row = b + d * keys;
    for (std::int64_t j = 0; j < keys; ++j) out[j] = std::fma(x, row[j], out[j]);
  }
}

template <class Real>
void add_scaled(Real a, const Real* x, std::int64_t size, Real* __restrict y) {
  for (std::int64_t d = 0; d < size; ++d) y[d] = std::fma(a, x[d], y[d]);
}

// One query head of one batch item, as it meets one tile of keys.
template <class Real>
struct HeadPass {
  const AttendCall<Real>& call;
  std::int64_t batch, head;
  HeadTerms<Real> terms = HeadTerms<Real>(call.problem, call.q_heads.begin + head);
  std::int64_t dim_qk = call.problem.dim_qk, dim_v = call.problem.dim_v;

  std::int64_t distance(const Tile& keys, std::int64_t key, std::int64_t row) const {
    return call.view.kv_positions()[static_cast<std::size_t>(keys.first + key)] - call.view.key_position(row);
  }

  template <class Visit>
  void for_each_seen_run(Cover cover, const Tile& keys, std::int64_t row, const Visit& visit) const {
    if (cover == Cover::full) return visit(std::int64_t{0}, keys.size);
    for_each_run(call.view.spans(batch, row), keys, visit);
  }
};

template <class Real>
class BitwiseKernel final : public Kernel<Real> {
 public:
  explicit BitwiseKernel(const KernelOptions& options) : options_(options) {}

  void forward(const AttendCall<Real>& call, RowEvents*) const override {
    const auto query_tiles = cut_tiles(call.q_rows, options_.tile), key_tiles = cut_tiles(call.kv_rows, options_.tile);
    const int threads = team_for(options_.threads, multiply_adds(call));
    const auto tiles = static_cast<std::int64_t>(query_tiles.size());
    for (std::int64_t batch = 0; batch < call.problem.batch; ++batch) {
      const TileCover cover(call.view, batch, query_tiles, key_tiles);
      parallel_for(threads, call.q_heads.count() * tiles, [&](std::int64_t n) {
        const HeadPass<Real> pass{call, batch, n / tiles};
        const auto queries = query_rows(call, batch, pass.head);
        const auto keys = key_rows(call, batch, kv_head_of(call, pass.head));
        const auto i = static_cast<std::size_t>(n % tiles);
        for (std::size_t j = 0; j < key_tiles.size(); ++j) {
          if (cover.of(i, j) == Cover::empty) continue;
          absorb_tile(pass, cover.of(i, j), query_tiles[i], queries[query_tiles[i].block], key_tiles[j],
                      keys[key_tiles[j].block]);
        }
      });
    }
  }

  // A KV head is one thread's work: its dK and dV grow by query head, then by query; dQ by key.
  void backward(const AttendCall<Real>& call) const override {
    const auto query_tiles = cut_tiles(call.q_rows, options_.tile), key_tiles = cut_tiles(call.kv_rows, options_.tile);
    const int threads = team_for(options_.threads, multiply_adds(call));
    for (std::int64_t batch = 0; batch < call.problem.batch; ++batch) {
      const TileCover cover(call.view, batch, query_tiles, key_tiles);
      parallel_for(threads, call.kv_heads.count(), [&](std::int64_t kv_head) {
        const auto keys = key_rows(call, batch, kv_head);
        for (std::size_t j = 0; j < key_tiles.size(); ++j) {
          backward_key_tile(call, batch, kv_head, query_tiles, key_tiles[j], keys[key_tiles[j].block],
                            [&](std::size_t i) { return cover.of(i, j); });
        }
      });
    }
  }

 private:
  static void absorb_tile(const HeadPass<Real>& pass, Cover cover, const Tile& queries, const QueryRows<Real>& q,
                          const Tile& keys, const KeyRows<Real>& kv) {
    std::vector<Real> kt(static_cast<std::size_t>(pass.dim_qk * keys.size));  // [Dqk, keys]
    std::vector<Real> s(static_cast<std::size_t>(keys.size)), p(s.size());    // [keys]
    transpose(kv.k + keys.begin * pass.dim_qk, keys.size, pass.dim_qk, kt.data());
    for (std::int64_t r = queries.begin; r < queries.begin + queries.size; ++r) {
      const std::int64_t row = q.first + r;
      dots(q.q + r * pass.dim_qk, kt.data(), pass.dim_qk, keys.size, s.data());
      pass.for_each_seen_run(cover, keys, row, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t j = begin; j < end; ++j) {
          const auto at = static_cast<std::size_t>(j);
          s[at] = pass.terms.score(s[at], pass.terms.slope == 0 ? 0 : pass.distance(keys, j, row));
        }
        const StateRow<Real> state{q.m[r], q.l[r], q.o + r * pass.dim_v, pass.dim_v};
        DropoutRow<Real> dropout(pass.call, pass.batch, pass.head, row);
        absorb_run(state, s.data() + begin, p.data(), end - begin, kv.v + (keys.begin + begin) * pass.dim_v,
                   [&](std::int64_t n) { return dropout.kept(keys.first + begin + n); });
      });
    }
  }

  // StateRow::absorb for n keys: the weights p first, a vector at a time, against the maximum that each key leaves.
  template <class Kept>
  static void absorb_run(const StateRow<Real>& state, const Real* s, Real* __restrict p, std::int64_t n, const Real* v,
                         const Kept& kept) {
    Real m = state.m;
    for (std::int64_t j = 0; j < n; ++j) {
      m = s[j] > m ? s[j] : m;
      p[j] = s[j] - m;
    }
    for (std::int64_t j = 0; j < n; ++j) p[j] = math::exp(p[j]);
    for (std::int64_t j = 0; j < n; ++j) {
      if (s[j] > state.m) state.raise_m(s[j]);
      state.l += p[j];
      const Real weight_kept = kept(j);
      if (weight_kept != 0) add_scaled(p[j] * weight_kept, v + j * state.dim_v, state.dim_v, state.o);
    }
  }

  template <class CoverOf>
  static void backward_key_tile(const AttendCall<Real>& call, std::int64_t batch, std::int64_t kv_head,
                                std::span<const Tile> query_tiles, const Tile& keys, const KeyRows<Real>& kv,
                                const CoverOf& cover_of) {
    const std::int64_t dim_qk = call.problem.dim_qk, dim_v = call.problem.dim_v;
    std::vector<Real> kt(static_cast<std::size_t>(dim_qk * keys.size));  // [Dqk, keys]
    std::vector<Real> vt(static_cast<std::size_t>(dim_v * keys.size));   // [Dv, keys]
    transpose(kv.k + keys.begin * dim_qk, keys.size, dim_qk, kt.data());
    transpose(kv.v + keys.begin * dim_v, keys.size, dim_v, vt.data());
    for (std::int64_t head = 0; head < call.q_heads.count(); ++head) {
      if (kv_head_of(call, head) != kv_head) continue;
      const HeadPass<Real> pass{call, batch, head};
      const auto queries = query_rows(call, batch, head);
      for (std::size_t i = 0; i < query_tiles.size(); ++i) {
        if (cover_of(i) == Cover::empty) continue;
        for (std::int64_t r = 0; r < query_tiles[i].size; ++r) {
          backward_row(pass, cover_of(i), queries[query_tiles[i].block], query_tiles[i].begin + r, keys, kv, kt, vt);
        }
      }
    }
  }

  static void backward_row(const HeadPass<Real>& pass, Cover cover, const QueryRows<Real>& q, std::int64_t r,
                           const Tile& keys, const KeyRows<Real>& kv, const std::vector<Real>& kt,
                           const std::vector<Real>& vt) {
    const std::int64_t dim_qk = pass.dim_qk, dim_v = pass.dim_v, row = q.first + r;
    const Real* d_o = q.d_o + r * dim_v;
    DropoutRow<Real> dropout(pass.call, pass.batch, pass.head, row);
    std::vector<Real> dot(static_cast<std::size_t>(keys.size)), dp(dot.size()), p(dot.size()), ds(dot.size()),
        kept(dot.size());  // [keys]
    dots(q.q + r * dim_qk, kt.data(), dim_qk, keys.size, dot.data());
    dots(d_o, vt.data(), dim_v, keys.size, dp.data());
    pass.for_each_seen_run(cover, keys, row, [&](std::int64_t begin, std::int64_t end) {
      for (auto j = static_cast<std::size_t>(begin); j < static_cast<std::size_t>(end); ++j) {
        const auto key = static_cast<std::int64_t>(j);
        p[j] = pass.terms.score(dot[j], pass.terms.slope == 0 ? 0 : pass.distance(keys, key, row)) - q.lse[r];
      }
      for (auto j = static_cast<std::size_t>(begin); j < static_cast<std::size_t>(end); ++j) p[j] = math::exp(p[j]);
      for (std::int64_t key = begin; key < end; ++key) {
        const auto j = static_cast<std::size_t>(key);
        kept[j] = dropout.kept(keys.first + key);
        ds[j] = p[j] * (kept[j] * dp[j] - q.delta[r]) * pass.terms.derivative(dot[j]);
      }
      for (std::int64_t key = begin; key < end; ++key) {
        const auto j = static_cast<std::size_t>(key);
        const std::int64_t at = keys.begin + key;
        if (kept[j] != 0) add_scaled(p[j] * kept[j], d_o, dim_v, kv.dv + at * dim_v);
        add_scaled(ds[j], q.q + r * dim_qk, dim_qk, kv.dk + at * dim_qk);
        add_scaled(ds[j], kv.k + at * dim_qk, dim_qk, q.dq + r * dim_qk);
      }
    });
  }

  KernelOptions options_;
};

}  // namespace

template <class Real>
std::unique_ptr<Kernel<Real>> make_bitwise_kernel(const KernelOptions& options) {
  return std::make_unique<BitwiseKernel<Real>>(options);
}

template std::unique_ptr<Kernel<float>> make_bitwise_kernel(const KernelOptions&);
template std::unique_ptr<Kernel<double>> make_bitwise_kernel(const KernelOptions&);

}  // namespace ringscope::cpu
