// random and poison, and the parts that all fills share.
#include <algorithm>
#include <limits>
#include <vector>

#include "core/fill_kinds.h"

namespace ringscope {

Tensor normals(Shape shape, ElementType type, Draw draw) {
  return filled(shape, [&](std::int64_t i) { return round_to(type, draw.normal(i)); });
}

Tensor small_integers(Shape shape, std::int64_t largest, Draw draw) {
  return filled(shape, [&](std::int64_t i) { return static_cast<double>(draw.integer(i, largest)); });
}

void fill_rest(const Problem& problem, std::uint64_t seed, Inputs& inputs) {
  if (problem.has_backward()) {
    inputs.d_o = normals(problem.shape_o(), output_type(problem.type), Draw(seed, Stream::d_o));
  }
  if (problem.terms.sink_logit) {
    const Draw draw(seed, Stream::sink_logit);
    for (std::int64_t h = 0; h < problem.heads_q; ++h) {
      inputs.sink_logit.push_back(round_to(problem.type, draw.normal(h)));
    }
  }
  inputs.dropout_seed = dropout_key(seed);
}

std::uint64_t dropout_key(std::uint64_t seed) {
  const PhiloxCounter key = Draw(seed, Stream::dropout).lanes(0);
  return key[0] | std::uint64_t{key[1]} << 32;
}

namespace {

std::optional<std::string> refuse_nothing(const Problem&) {
  return std::nullopt;
}

std::optional<ExactOutputs> nothing_exact(const Problem&, std::uint64_t, const Inputs&) {
  return std::nullopt;
}

Inputs make_random(const Problem& problem, std::uint64_t seed) {
  Inputs inputs;
  inputs.q = normals(problem.shape_q(), problem.type, Draw(seed, Stream::q));
  inputs.k = normals(problem.shape_k(), problem.type, Draw(seed, Stream::k));
  inputs.v = normals(problem.shape_v(), problem.type, Draw(seed, Stream::v));
  fill_rest(problem, seed, inputs);
  return inputs;
}

// [Skv] of one batch item: does any query see the key?
std::vector<bool> seen_keys(const Problem& problem, const MaskRows& mask, std::int64_t batch) {
  std::vector<int> change(static_cast<std::size_t>(problem.len_kv) + 1);
  const auto mark = [&](std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    ++change[static_cast<std::size_t>(begin)];
    --change[static_cast<std::size_t>(end)];
  };
  for (std::int64_t i = 0; i < problem.len_q; ++i) {
    const KeyInterval keys = mask.row(batch, i);
    mark(keys.lo, keys.hi);
    mark(keys.sink_begin, keys.sink_end);
  }
  std::vector<bool> seen(static_cast<std::size_t>(problem.len_kv));
  int depth = 0;
  for (std::size_t j = 0; j < seen.size(); ++j) seen[j] = (depth += change[j]) > 0;
  return seen;
}

void poison_row(Tensor& x, std::int64_t b, std::int64_t j) {
  for (std::int64_t h = 0; h < x.shape.heads; ++h) {
    double* row = x.row(b, h, j);
    std::fill(row, row + x.shape.dim, std::numeric_limits<double>::quiet_NaN());
  }
}

Inputs make_poison(const Problem& problem, std::uint64_t seed) {
  Inputs inputs = make_random(problem, seed);
  const MaskRows mask = problem.mask_rows();
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    const std::vector<bool> seen = seen_keys(problem, mask, b);
    for (std::int64_t j = 0; j < problem.len_kv; ++j) {
      if (seen[static_cast<std::size_t>(j)]) continue;
      poison_row(inputs.k, b, j);
      poison_row(inputs.v, b, j);
    }
  }
  return inputs;
}

}  // namespace

const FillKind random_fill{{Fill::random, "random", "normal Q, K, V and dO: rounding as it is in real use"},
                           refuse_nothing,
                           make_random,
                           nothing_exact};
const FillKind poison_fill{{Fill::poison, "poison", "random, but K and V that no query may see are NaN"},
                           refuse_nothing,
                           make_poison,
                           nothing_exact};

}  // namespace ringscope
