// A right kernel of another kind than the baseline: tiles of keys, each with its own (m, l, O), merged last tile first.
// Knows scale and mask only.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/data.h"
#include "core/dense_rows.h"
#include "core/problem.h"

namespace ringscope {

template <class Real>
struct TileState {
  Real m = -std::numeric_limits<Real>::infinity(), l = 0;
  std::vector<Real> o;  // [Dv]

  void merge(const TileState& from) {
    if (from.l == 0) return;
    const Real top = std::max(m, from.m), here = std::exp(m - top), there = std::exp(from.m - top);
    m = top;
    l = l * here + from.l * there;
    for (std::size_t d = 0; d < o.size(); ++d) o[d] = o[d] * here + from.o[d] * there;
  }
};

template <class Real>
class TiledAttention {
 public:
  TiledAttention(const Problem& problem, const Inputs& inputs, std::int64_t tile)
      : problem_(problem), inputs_(inputs), tile_(tile), scale_(static_cast<Real>(problem.scale())) {}

  Outputs run() {
    Outputs out{.o = Tensor(problem_.shape_o()),
                .lse = Tensor(problem_.shape_lse()),
                .dq = Tensor(problem_.shape_q()),
                .dk = Tensor(problem_.shape_k()),
                .dv = Tensor(problem_.shape_v())};
    Array<Real> dk(problem_.shape_k()), dv(problem_.shape_v());
    const MaskRows mask = problem_.mask_rows();
    for (std::int64_t b = 0; b < problem_.batch; ++b) {
      for (std::int64_t h = 0; h < problem_.heads_q; ++h) {
        for (std::int64_t i = problem_.len_q - 1; i >= 0; --i) row(out, dk, dv, b, h, i, mask.row(b, i));
      }
    }
    const ElementType stored = output_type(problem_.type);
    std::transform(dk.values.begin(), dk.values.end(), out.dk.values.begin(),
                   [&](Real x) { return round_to(stored, x); });
    std::transform(dv.values.begin(), dv.values.end(), out.dv.values.begin(),
                   [&](Real x) { return round_to(stored, x); });
    return out;
  }

 private:
  Real score(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
    const double* q = inputs_.q.row(b, h, i);
    const double* k = inputs_.k.row(b, h / problem_.group(), j);
    Real s = 0;
    for (std::int64_t d = problem_.dim_qk - 1; d >= 0; --d) s = std::fma(Real(q[d]), Real(k[d]), s);
    return s * scale_;
  }

  TileState<Real> tile_state(std::int64_t b, std::int64_t h, std::int64_t i, const std::vector<std::int64_t>& keys) {
    TileState<Real> state;
    state.o.resize(static_cast<std::size_t>(problem_.dim_v));
    for (const std::int64_t j : keys) {
      TileState<Real> one{score(b, h, i, j), 1, {}};
      const double* v = inputs_.v.row(b, h / problem_.group(), j);
      one.o.assign(v, v + problem_.dim_v);
      state.merge(one);
    }
    return state;
  }

  void row(Outputs& out, Array<Real>& dk, Array<Real>& dv, std::int64_t b, std::int64_t h, std::int64_t i,
           const KeyInterval& seen) {
    std::vector<std::vector<std::int64_t>> tiles(static_cast<std::size_t>(problem_.len_kv / tile_ + 1));
    for_each_key(seen, [&](std::int64_t j) { tiles[static_cast<std::size_t>(j / tile_)].push_back(j); });
    TileState<Real> state = tile_state(b, h, i, {});
    for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) state.merge(tile_state(b, h, i, *tile));
    *out.lse.row(b, h, i) = state.l > 0 ? state.m + std::log(state.l) : state.m;
    if (state.l == 0) return;
    const ElementType stored = output_type(problem_.type);
    double* o = out.o.row(b, h, i);
    const double* d_o = inputs_.d_o.row(b, h, i);
    Real delta = 0;
    for (std::int64_t d = 0; d < problem_.dim_v; ++d) {
      o[d] = round_to(stored, state.o[static_cast<std::size_t>(d)] / state.l);
      delta = std::fma(Real(o[d]), Real(d_o[d]), delta);
    }
    std::vector<Real> dq(static_cast<std::size_t>(problem_.dim_qk));
    const std::int64_t h_kv = h / problem_.group();
    for_each_key(seen, [&](std::int64_t j) {
      const Real p = std::exp(score(b, h, i, j) - Real(*out.lse.row(b, h, i)));
      const double* v = inputs_.v.row(b, h_kv, j);
      Real dp = 0;
      for (std::int64_t d = problem_.dim_v - 1; d >= 0; --d) dp = std::fma(Real(d_o[d]), Real(v[d]), dp);
      const Real ds = p * (dp - delta) * scale_;
      for (std::int64_t d = 0; d < problem_.dim_v; ++d) dv.row(b, h_kv, j)[d] += p * Real(d_o[d]);
      for (std::int64_t d = 0; d < problem_.dim_qk; ++d) {
        dq[static_cast<std::size_t>(d)] += ds * Real(inputs_.k.row(b, h_kv, j)[d]);
        dk.row(b, h_kv, j)[d] += ds * Real(inputs_.q.row(b, h, i)[d]);
      }
    });
    std::transform(dq.begin(), dq.end(), out.dq.row(b, h, i), [&](Real x) { return round_to(stored, x); });
  }

  const Problem& problem_;
  const Inputs& inputs_;
  std::int64_t tile_;
  Real scale_;
};

inline Outputs tiled_attention(const Problem& problem, const Inputs& inputs, std::int64_t tile = 3) {
  if (problem.type == ElementType::f64) return TiledAttention<double>(problem, inputs, tile).run();
  return TiledAttention<float>(problem, inputs, tile).run();
}

}  // namespace ringscope
