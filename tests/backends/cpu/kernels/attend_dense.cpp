// The textbook, in long double and with a matrix of all pairs.
#include <cmath>
#include <limits>

#include "core/dropout.h"
#include "tests/backends/cpu/kernels/whole_attention.h"

namespace ringscope::cpu {

namespace {

using Wide = long double;

struct Sum {
  Wide value = 0, magnitude = 0;
  void add(Wide x, Wide size) { value += x, magnitude += size; }
  void add(Wide x) { add(x, std::fabs(x)); }
};

Sum dot(const double* a, const double* b, std::int64_t size) {
  Sum sum;
  for (std::int64_t d = 0; d < size; ++d) sum.add(Wide(a[d]) * b[d]);
  return sum;
}

struct Pair {
  bool seen = false;
  Wide s = 0, derivative = 0, kept = 1;
};

Pair pair_of(const Problem& p, const Inputs& in, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  Pair pair;
  pair.seen = may_see(p.mask, p.len_q, p.len_kv, b, i, j);
  if (!pair.seen) return pair;
  pair.s = p.scale() * dot(in.q.row(b, h, i), in.k.row(b, h / p.group(), j), p.dim_qk).value;
  pair.derivative = p.scale();
  if (p.terms.softcap != 0) {
    const Wide t = std::tanh(pair.s / p.terms.softcap);
    pair.s = p.terms.softcap * t;
    pair.derivative *= 1 - t * t;
  }
  if (p.terms.alibi) {
    const Wide distance = static_cast<Wide>(j - p.mask_rows().key_position(i));
    pair.s += std::exp2(Wide(-8) * static_cast<Wide>(h + 1) / static_cast<Wide>(p.heads_q)) * distance;
  }
  if (p.terms.dropout != 0) {
    const bool keeps = dropout_keeps(in.dropout_seed, p.terms.dropout, b, h, i, j);
    pair.kept = keeps ? 1 / (1 - Wide(p.terms.dropout)) : 0;
  }
  return pair;
}

void add(Dense& dense, Tensor Outputs::*tensor, std::int64_t b, std::int64_t h, std::int64_t row, Wide weight,
         Wide size, const double* x, std::int64_t dim) {
  double* value = (dense.value.*tensor).row(b, h, row);
  double* magnitude = (dense.magnitude.*tensor).row(b, h, row);
  for (std::int64_t d = 0; d < dim; ++d) {
    value[d] = static_cast<double>(value[d] + weight * x[d]);
    magnitude[d] = static_cast<double>(magnitude[d] + size * std::fabs(x[d]));
  }
}

void attend_row(const Problem& p, const Inputs& in, std::int64_t b, std::int64_t h, std::int64_t i, Dense& dense) {
  const std::int64_t h_kv = h / p.group();
  std::vector<Pair> pairs;
  Wide m = -std::numeric_limits<Wide>::infinity(), l = 0;
  for (std::int64_t j = 0; j < p.len_kv; ++j) pairs.push_back(pair_of(p, in, b, h, i, j));
  for (const Pair& pair : pairs) m = pair.seen ? std::max(m, pair.s) : m;
  for (const Pair& pair : pairs) l += pair.seen ? std::exp(pair.s - m) : 0;
  dense.value.lse.row(b, h, i)[0] = static_cast<double>(l == 0 ? m : m + std::log(l));
  dense.magnitude.lse.row(b, h, i)[0] = static_cast<double>(l == 0 ? 0 : 1 + std::fabs(m) + std::log(l));
  Sum delta;
  for (std::int64_t j = 0; j < p.len_kv; ++j) {
    const Pair& pair = pairs[static_cast<std::size_t>(j)];
    if (!pair.seen) continue;
    const Wide weight = std::exp(pair.s - m) / l * pair.kept;
    const Sum dp = dot(in.d_o.row(b, h, i), in.v.row(b, h_kv, j), p.dim_v);
    delta.add(weight * dp.value, weight * dp.magnitude);
    add(dense, &Outputs::o, b, h, i, weight, weight, in.v.row(b, h_kv, j), p.dim_v);
    add(dense, &Outputs::dv, b, h_kv, j, weight, weight, in.d_o.row(b, h, i), p.dim_v);
  }
  for (std::int64_t j = 0; j < p.len_kv; ++j) {
    const Pair& pair = pairs[static_cast<std::size_t>(j)];
    if (!pair.seen) continue;
    const Wide weight = std::exp(pair.s - m) / l * pair.derivative;
    const Sum dp = dot(in.d_o.row(b, h, i), in.v.row(b, h_kv, j), p.dim_v);
    const Wide ds = weight * (pair.kept * dp.value - delta.value);
    const Wide size = std::fabs(weight) * (pair.kept * dp.magnitude + delta.magnitude);
    add(dense, &Outputs::dq, b, h, i, ds, size, in.k.row(b, h_kv, j), p.dim_qk);
    add(dense, &Outputs::dk, b, h_kv, j, ds, size, in.q.row(b, h, i), p.dim_qk);
  }
}

}  // namespace

Dense attend_dense(const Problem& p, const Inputs& in) {
  Outputs zero{Tensor(p.shape_o()), Tensor(p.shape_lse()), Tensor(p.shape_q()),
               Tensor(p.shape_k()), Tensor(p.shape_v()),   {}};
  Dense dense{zero, zero};
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t h = 0; h < p.heads_q; ++h) {
      for (std::int64_t i = 0; i < p.len_q; ++i) attend_row(p, in, b, h, i, dense);
    }
  }
  return dense;
}

}  // namespace ringscope::cpu
