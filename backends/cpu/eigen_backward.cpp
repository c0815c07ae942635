#include "backends/cpu/eigen_kernel.h"
#include "backends/cpu/eigen_tile.h"
#include "backends/cpu/parallel.h"

namespace ringscope::cpu {

namespace {

enum class Gradients { all, of_keys, of_queries };

template <class Real>
class BackwardPass {
 public:
  BackwardPass(const AttendCall<Real>& call, const KernelOptions& options, std::int64_t batch)
      : call_(call),
        batch_(batch),
        query_tiles_(cut_tiles(call.q_rows, eigen_query_tile(options))),
        key_tiles_(cut_tiles(call.kv_rows, eigen_key_tile(options))),
        most_pairs_(largest_size(query_tiles_) * largest_size(key_tiles_)),
        cover_(call.view, batch, query_tiles_, key_tiles_) {}

  // A KV head is one thread's work where there are enough of them: five products per pair of tiles. Else key tiles,
  // then query tiles are shared out, and S and dP are computed twice. Every sum has the same order both ways: dK and dV
  // by query head and query, dQ by key.
  void run(int threads) const {
    const std::int64_t kv_heads = call_.kv_heads.count();
    const auto queries = static_cast<std::int64_t>(query_tiles_.size());
    const auto keys = static_cast<std::int64_t>(key_tiles_.size());
    if (kv_heads >= threads) {
      parallel_for(threads, kv_heads, [&](std::int64_t kv_head) {
        Scratch scratch(most_pairs_);
        for (std::int64_t j = 0; j < keys; ++j) key_tile(kv_head, j, Gradients::all, scratch);
      });
      return;
    }
    parallel_for(threads, kv_heads * keys, [&](std::int64_t n) {
      Scratch scratch(most_pairs_);
      key_tile(n / keys, n % keys, Gradients::of_keys, scratch);
    });
    parallel_for(threads, call_.q_heads.count() * queries, [&](std::int64_t n) {
      Scratch scratch(most_pairs_);
      const std::int64_t head = n / queries;
      for (std::int64_t j = 0; j < keys; ++j) tile_pair(head, n % queries, j, Gradients::of_queries, scratch);
    });
  }

 private:
  struct Scratch {
    explicit Scratch(std::int64_t size) : p(static_cast<std::size_t>(size)), ds(p.size()) {}
    std::vector<Real> p, ds;       // [queries, keys]
    std::vector<Real> k, v, kept;  // [keys, Dqk], [keys, Dv], [keys]
  };

  void key_tile(std::int64_t kv_head, std::int64_t j, Gradients gradients, Scratch& scratch) const {
    for (std::int64_t head = 0; head < call_.q_heads.count(); ++head) {
      if (kv_head_of(call_, head) != kv_head) continue;
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(query_tiles_.size()); ++i) {
        tile_pair(head, i, j, gradients, scratch);
      }
    }
  }

  void tile_pair(std::int64_t head, std::int64_t i, std::int64_t j, Gradients gradients, Scratch& scratch) const {
    const Tile& queries = query_tiles_[static_cast<std::size_t>(i)];
    const Tile& keys = key_tiles_[static_cast<std::size_t>(j)];
    const Cover cover = cover_.of(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    if (cover == Cover::empty) return;
    const HeadTerms<Real> terms(call_.problem, call_.q_heads.begin + head);
    const TilePair<Real> pair = TilePair<Real>{call_, batch_, head, terms, cover, queries, keys}.narrowed();
    add_gradients(pair, query_rows(call_, batch_, head)[queries.block],
                  key_rows(call_, batch_, kv_head_of(call_, head))[keys.block], gradients, scratch);
  }

  static void add_gradients(const TilePair<Real>& pair, const QueryRows<Real>& q, const KeyRows<Real>& kv,
                            Gradients gradients, Scratch& scratch) {
    const std::int64_t dim_qk = pair.call.problem.dim_qk, dim_v = pair.call.problem.dim_v;
    const std::int64_t queries = pair.queries.size, keys = pair.keys.size, first = pair.queries.begin;
    const ConstMap<Real> d_o(q.d_o + first * dim_v, queries, dim_v);
    const ConstMap<Real> k = pair.key_matrix(kv.k, dim_qk, scratch.k);
    const ConstMap<Real> v = pair.key_matrix(kv.v, dim_v, scratch.v);
    Map<Real> p(scratch.p.data(), queries, keys), ds(scratch.ds.data(), queries, keys);
    p.setZero();
    ds.setZero();
    add_product(p, pair.query_matrix(q), k.transpose());
    add_product(ds, d_o, v.transpose());
    scratch.kept.resize(static_cast<std::size_t>(keys));
    for (std::int64_t r = 0; r < queries; ++r) {
      differentiate_row(pair, r, q.lse[first + r], q.delta[first + r], p.data() + r * keys, ds.data() + r * keys,
                        scratch.kept.data());
    }
    if (gradients != Gradients::of_queries) {
      add_product(Map<Real>(kv.dv + pair.keys.begin * dim_v, keys, dim_v), p.transpose(), d_o);
      add_product(Map<Real>(kv.dk + pair.keys.begin * dim_qk, keys, dim_qk), ds.transpose(), pair.query_matrix(q));
    }
    if (gradients != Gradients::of_keys) {
      add_product(Map<Real>(q.dq + first * dim_qk, queries, dim_qk), ds, k);
    }
  }

  // q.k becomes the weights that dropout leaves, dO.v becomes dS = P (dP - delta) d score / d q.k; 0 for hidden keys.
  static void differentiate_row(const TilePair<Real>& pair, std::int64_t r, Real lse, Real delta, Real* p, Real* ds,
                                Real* kept) {
    const std::int64_t keys = pair.keys.size;
    if (lse == no_score<Real>) {  // sees no key at all
      std::fill_n(p, keys, Real(0));
      std::fill_n(ds, keys, Real(0));
      return;
    }
    if (pair.drops()) {
      pair.kept_row(r, kept);
      for (std::int64_t j = 0; j < keys; ++j) ds[j] *= kept[j];
    }
    if (pair.terms.softcap == 0) {
      const Real scale = pair.terms.scale;
      for (std::int64_t j = 0; j < keys; ++j) ds[j] = (ds[j] - delta) * scale;
    } else {
      for (std::int64_t j = 0; j < keys; ++j) ds[j] = (ds[j] - delta) * pair.terms.derivative(p[j]);
    }
    pair.score_row(r, p);
    for (std::int64_t j = 0; j < keys; ++j) {
      p[j] = math::exp(p[j] - lse);
      ds[j] *= p[j];
    }
    if (!pair.drops()) return;
    for (std::int64_t j = 0; j < keys; ++j) p[j] *= kept[j];
  }

  const AttendCall<Real>& call_;
  std::int64_t batch_;
  std::vector<Tile> query_tiles_, key_tiles_;
  std::int64_t most_pairs_;  // in one pair of tiles
  TileCover cover_;
};

}  // namespace

template <class Real>
void EigenKernel<Real>::backward(const AttendCall<Real>& call) const {
  for (std::int64_t batch = 0; batch < call.problem.batch; ++batch) {
    BackwardPass<Real>(call, options_, batch).run(team_for(options_.threads, multiply_adds(call)));
  }
}

template void EigenKernel<float>::backward(const AttendCall<float>&) const;
template void EigenKernel<double>::backward(const AttendCall<double>&) const;

}  // namespace ringscope::cpu
