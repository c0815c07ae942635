// An attention kernel in tiles of keys, for Ringscope: a tile's scores first, then one rescale, then its values.
//   c++ -std=c++20 -O2 -shared -fPIC -I <ringscope> blocked.cpp -o blocked.so
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "backends/cpu/plugin_api.h"

namespace {

// The block's arrays as what they are.
template <class Real>
struct Block {
  const RingscopeBlock& b;

  const Real* row_of(const void* array, std::int64_t row, std::int64_t stride) const {
    return static_cast<const Real*>(array) + row * stride;
  }
  Real* row_of(void* array, std::int64_t row, std::int64_t stride) const {
    return static_cast<Real*>(array) + row * stride;
  }
  const Real* q(std::int64_t row) const { return row_of(b.q, row, b.stride_qk); }
  const Real* k(std::int64_t key) const { return row_of(b.k, key, b.stride_qk); }
  const Real* v(std::int64_t key) const { return row_of(b.v, key, b.stride_v); }
  const Real* d_o(std::int64_t row) const { return row_of(b.d_o, row, b.stride_v); }
  Real* o(std::int64_t row) const { return row_of(b.o, row, b.stride_v); }
  Real* dq(std::int64_t row) const { return row_of(b.dq, row, b.stride_qk); }
  Real* dk(std::int64_t key) const { return row_of(b.dk, key, b.stride_qk); }
  Real* dv(std::int64_t key) const { return row_of(b.dv, key, b.stride_v); }
  Real keep(std::int64_t row, std::int64_t key) const {
    return b.keep == nullptr ? Real(1) : row_of(b.keep, row, b.stride_keep)[key];
  }
};

template <class Real>
Real dot(const Real* x, const Real* y, std::int64_t dim) {
  Real sum = 0;
  for (std::int64_t d = 0; d < dim; ++d) sum += x[d] * y[d];
  return sum;
}

// y += a x
template <class Real>
void add_scaled(Real a, const Real* x, std::int64_t dim, Real* y) {
  for (std::int64_t d = 0; d < dim; ++d) y[d] += a * x[d];
}

template <class Real>
struct Score {
  Real value, derivative;  // by q.k
};

template <class Real>
Score<Real> score(const Block<Real>& at, std::int64_t row, std::int64_t key) {
  const RingscopeBlock& b = at.b;
  Score<Real> s{static_cast<Real>(b.scale) * dot(at.q(row), at.k(key), b.dim_qk), static_cast<Real>(b.scale)};
  if (b.softcap != 0) {
    const auto cap = static_cast<Real>(b.softcap);
    const Real t = std::tanh(s.value / cap);
    s.value = cap * t;
    s.derivative *= 1 - t * t;
  }
  s.value += static_cast<Real>(b.alibi_slope * static_cast<double>(b.k_position[key] - b.q_position[row]));
  return s;
}

template <class Real>
void absorb_tile(const Block<Real>& at, std::int64_t row, std::int64_t begin, std::int64_t end,
                 std::vector<Real>& scores) {
  Real& m = static_cast<Real*>(at.b.m)[row];
  Real& l = static_cast<Real*>(at.b.l)[row];
  Real* o = at.o(row);
  Real larger = m;
  for (std::int64_t key = begin; key < end; ++key) {
    scores[static_cast<std::size_t>(key - begin)] = score(at, row, key).value;
    larger = std::max(larger, scores[static_cast<std::size_t>(key - begin)]);
  }
  const Real rescale = std::exp(m - larger);
  m = larger;
  l *= rescale;
  for (std::int64_t d = 0; d < at.b.dim_v; ++d) o[d] *= rescale;
  for (std::int64_t key = begin; key < end; ++key) {
    const Real p = std::exp(scores[static_cast<std::size_t>(key - begin)] - m);
    l += p;
    add_scaled(p * at.keep(row, key), at.v(key), at.b.dim_v, o);
  }
}

template <class Real>
void forward(const Block<Real>& at) {
  const std::int64_t tile = at.b.tile > 0 ? at.b.tile : 64;
  std::vector<Real> scores(static_cast<std::size_t>(tile));
  for (std::int64_t row = 0; row < at.b.rows; ++row) {
    for (std::int64_t s = at.b.first_span[row]; s < at.b.first_span[row + 1]; ++s) {
      const std::int64_t end = at.b.spans[s].end;
      for (std::int64_t key = at.b.spans[s].begin; key < end; key += tile) {
        absorb_tile(at, row, key, std::min(key + tile, end), scores);
      }
    }
  }
}

template <class Real>
void spread(const Block<Real>& at, std::int64_t row, std::int64_t key) {
  const RingscopeBlock& b = at.b;
  const Score<Real> s = score(at, row, key);
  const Real p = std::exp(s.value - static_cast<const Real*>(b.lse)[row]), keep = at.keep(row, key);
  const Real dp = keep * dot(at.d_o(row), at.v(key), b.dim_v);
  const Real ds = p * (dp - static_cast<const Real*>(b.delta)[row]) * s.derivative;
  add_scaled(p * keep, at.d_o(row), b.dim_v, at.dv(key));
  add_scaled(ds, at.k(key), b.dim_qk, at.dq(row));
  add_scaled(ds, at.q(row), b.dim_qk, at.dk(key));
}

template <class Real>
void backward(const Block<Real>& at) {
  for (std::int64_t row = 0; row < at.b.rows; ++row) {
    for (std::int64_t s = at.b.first_span[row]; s < at.b.first_span[row + 1]; ++s) {
      for (std::int64_t key = at.b.spans[s].begin; key < at.b.spans[s].end; ++key) spread(at, row, key);
    }
  }
}

}  // namespace

const RingscopePluginInfo* ringscope_plugin_info(void) {
  static constexpr RingscopePluginInfo info{
      RINGSCOPE_PLUGIN_API,
      RINGSCOPE_FLOAT | RINGSCOPE_DOUBLE | RINGSCOPE_SOFTCAP | RINGSCOPE_ALIBI | RINGSCOPE_DROPOUT, "tiles in C++"};
  return &info;
}

int ringscope_forward(const RingscopeBlock* block) {
  block->bytes_per_real == 8 ? forward(Block<double>{*block}) : forward(Block<float>{*block});
  return 0;
}

int ringscope_backward(const RingscopeBlock* block) {
  block->bytes_per_real == 8 ? backward(Block<double>{*block}) : backward(Block<float>{*block});
  return 0;
}
