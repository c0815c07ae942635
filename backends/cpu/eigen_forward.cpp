#include "backends/cpu/eigen_kernel.h"
#include "backends/cpu/eigen_tile.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/parallel.h"

namespace ringscope::cpu {

namespace {

template <class Real>
struct Scratch {
  std::vector<Real> s, kept, v;  // [queries, keys], [keys], [keys, Dv]
};

// Scores of one row become weights against its new maximum; l and O follow.
template <class Real>
void weigh_row(const TilePair<Real>& pair, std::int64_t r, const StateRow<Real>& state, Real* s,
               std::vector<Real>& kept) {
  const std::int64_t keys = pair.keys.size;
  pair.score_row(r, s);
  const Real largest = ConstMap<Real>(s, 1, keys).maxCoeff();
  if (largest == no_score<Real> && std::none_of(s, s + keys, [](Real x) { return std::isnan(x); })) {
    std::fill_n(s, keys, Real(0));
    return;
  }
  if (largest > state.m) state.raise_m(largest);
  const Real m = state.m;
  for (std::int64_t j = 0; j < keys; ++j) s[j] = math::exp(s[j] - m);
  state.l += sum_of(s, keys);
  if (!pair.drops()) return;
  pair.kept_row(r, kept.data());
  for (std::int64_t j = 0; j < keys; ++j) s[j] *= kept[static_cast<std::size_t>(j)];
}

template <class Real>
void absorb_tile(const TilePair<Real>& pair, const QueryRows<Real>& q, const KeyRows<Real>& kv,
                 Scratch<Real>& scratch) {
  const std::int64_t dim_qk = pair.call.problem.dim_qk, dim_v = pair.call.problem.dim_v;
  const std::int64_t queries = pair.queries.size, keys = pair.keys.size, first = pair.queries.begin;
  Map<Real> s(scratch.s.data(), queries, keys);
  s.setZero();
  add_product(s, pair.query_matrix(q), ConstMap<Real>(kv.k + pair.keys.begin * dim_qk, keys, dim_qk).transpose());
  for (std::int64_t r = 0; r < queries; ++r) {
    const StateRow<Real> state{q.m[first + r], q.l[first + r], q.o + (first + r) * dim_v, dim_v};
    weigh_row(pair, r, state, s.data() + r * keys, scratch.kept);
  }
  add_product(Map<Real>(q.o + first * dim_v, queries, dim_v), s, pair.key_matrix(kv.v, dim_v, scratch.v));
}

}  // namespace

template <class Real>
void EigenKernel<Real>::forward(const AttendCall<Real>& call, RowEvents*) const {
  const auto query_tiles = cut_tiles(call.q_rows, eigen_query_tile(options_));
  const auto key_tiles = cut_tiles(call.kv_rows, eigen_key_tile(options_));
  const auto tiles = static_cast<std::int64_t>(query_tiles.size());
  const std::int64_t most_keys = largest_size(key_tiles);
  const int threads = team_for(options_.threads, multiply_adds(call));
  for (std::int64_t batch = 0; batch < call.problem.batch; ++batch) {
    const TileCover cover(call.view, batch, query_tiles, key_tiles);
    parallel_for(threads, call.q_heads.count() * tiles, [&](std::int64_t n) {
      const std::int64_t head = n / tiles;
      const auto i = static_cast<std::size_t>(n % tiles);
      const HeadTerms<Real> terms(call.problem, call.q_heads.begin + head);
      const auto queries = query_rows(call, batch, head);
      const auto keys = key_rows(call, batch, kv_head_of(call, head));
      Scratch<Real> scratch;
      scratch.s.resize(static_cast<std::size_t>(query_tiles[i].size * most_keys));
      scratch.kept.resize(static_cast<std::size_t>(most_keys));
      for (std::size_t j = 0; j < key_tiles.size(); ++j) {
        if (cover.of(i, j) == Cover::empty) continue;
        const TilePair<Real> pair{call, batch, head, terms, cover.of(i, j), query_tiles[i], key_tiles[j]};
        absorb_tile(pair.narrowed(), queries[query_tiles[i].block], keys[key_tiles[j].block], scratch);
      }
    });
  }
}

template void EigenKernel<float>::forward(const AttendCall<float>&, RowEvents*) const;
template void EigenKernel<double>::forward(const AttendCall<double>&, RowEvents*) const;

template <class Real>
std::unique_ptr<Kernel<Real>> make_eigen_kernel(const KernelOptions& options) {
  return std::make_unique<EigenKernel<Real>>(options);
}

template std::unique_ptr<Kernel<float>> make_eigen_kernel(const KernelOptions&);
template std::unique_ptr<Kernel<double>> make_eigen_kernel(const KernelOptions&);

}  // namespace ringscope::cpu
