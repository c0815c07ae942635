// needle: every query has one key with score exactly 0 while all others lie so far below that their weights are 0 in
// the compute type. O is then that key's V row, whatever the merge order (docs/numerics.md, "Exact fills").
//
// Channels 0 .. bits-1 hold the key's index as +-w; one more channel brings the match's product to exactly 0:
// q.k = (bits - 2 misses) w^2 - bits w^2 = -2 misses w^2.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/fill_kinds.h"

namespace ringscope {

namespace {

constexpr std::int64_t largest_v = 8;
constexpr std::int64_t largest_d_o = 4;

// How key indices are written.
struct Code {
  std::int64_t bits = 0;
  double w = 1;                       // a power of two
  double q_offset = 0, k_offset = 0;  // q_offset * k_offset = -bits w^2
};

std::int64_t bits_for(std::int64_t len_kv) {
  std::int64_t bits = 0;
  while ((std::int64_t{1} << bits) < len_kv) ++bits;
  return bits;
}

// A miss must cost `gap` after the scale: e^-104 is 0 in fp32, e^-746 in fp64.
Code code_of(const Problem& problem) {
  const double gap = problem.type == ElementType::f64 ? 1024 : 128;
  Code code{.bits = bits_for(problem.len_kv)};
  code.w = std::exp2(std::ceil(std::log2(gap / 2 / problem.scale()) / 2));
  const double share = std::exp2(std::ceil(std::log2(static_cast<double>(std::max<std::int64_t>(code.bits, 1))) / 2));
  code.q_offset = code.w * share;
  code.k_offset = -static_cast<double>(code.bits) * code.w / share;
  return code;
}

std::optional<std::string> refuse_needle(const Problem& problem) {
  const ScoreTerms& terms = problem.terms;
  const auto without = [](const char* term) {
    return "needle without " + std::string(term) + ": the needle's score is exactly 0 and its weight exactly 1";
  };
  if (terms.softcap > 0) return without("softcap");
  if (terms.alibi) return without("alibi");
  if (terms.rope_base > 0) return without("rope");
  if (terms.sink_logit) return without("sink-logit");
  if (terms.dropout > 0) return without("dropout");
  if (problem.scale() <= 0) return "needle with a scale above 0: the needle has the largest score";
  const std::int64_t dims = 1 + bits_for(problem.len_kv);
  if (problem.dim_qk < dims) {
    return "needle with Dqk of at least " + std::to_string(dims) +
           " (1 + ceil(log2 Skv)): the key's index is written there";
  }
  const Code code = code_of(problem);
  for (const double x : {code.w, code.q_offset, code.k_offset}) {
    if (round_to(problem.type, x) != x) {
      return "a scale nearer to 1: " + std::string(name_of(problem.type)) +
             " does not hold the values that needle needs";
    }
  }
  if (static_cast<double>(problem.len_q * problem.group() * largest_d_o) >= 0x1p24) {
    return "needle with Sq Hq / Hkv below 2^22: sums of dO are exact in fp32";
  }
  return std::nullopt;
}

std::int64_t key_at(const KeyInterval& keys, std::int64_t n) {
  const std::int64_t sinks = keys.sink_end - keys.sink_begin;
  return n < sinks ? keys.sink_begin + n : keys.lo + n - sinks;
}

// About the golden section of count, and coprime to it: n -> n * step mod count meets every key.
std::int64_t coprime_step(std::int64_t count) {
  std::int64_t step = std::max<std::int64_t>(1, count * 618 / 1000);
  while (std::gcd(step, count) != 1) ++step;
  return step;
}

// Which of its keys a row looks for; no key, no needle. Even heads spread over all they see (a permutation where every
// row sees every key); odd ones take the corners: the diagonal, the first, the last, the middle.
std::optional<std::int64_t> needle_of(const KeyInterval& keys, std::int64_t head, std::int64_t i, std::int64_t p) {
  const std::int64_t count = keys.size();
  if (count == 0) return std::nullopt;
  if (head % 2 == 0) return key_at(keys, (i * coprime_step(count) + head) % count);
  switch (i % 4) {
    case 0:
      return keys.contains(p) ? p : key_at(keys, count - 1);
    case 1:
      return key_at(keys, 0);
    case 2:
      return key_at(keys, count - 1);
    default:
      return key_at(keys, count / 2);
  }
}

template <class Visit>
void for_each_needle(const Problem& problem, Visit&& visit) {
  const MaskRows mask = problem.mask_rows();
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t h = 0; h < problem.heads_q; ++h) {
      for (std::int64_t i = 0; i < problem.len_q; ++i) {
        const auto key = needle_of(mask.row(b, i), b * problem.heads_q + h, i, mask.key_position(i));
        if (key) visit(b, h, i, *key);
      }
    }
  }
}

void write_index(const Code& code, std::int64_t key, double offset, double* row) {
  for (std::int64_t n = 0; n < code.bits; ++n) row[n] = (key >> n & 1) != 0 ? code.w : -code.w;
  row[code.bits] = offset;
}

Inputs make_needle(const Problem& problem, std::uint64_t seed) {
  const Code code = code_of(problem);
  Inputs inputs;
  inputs.q = Tensor(problem.shape_q());
  inputs.k = Tensor(problem.shape_k());
  for_each_needle(problem, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t key) {
    write_index(code, key, code.q_offset, inputs.q.row(b, h, i));
  });
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t h = 0; h < problem.heads_kv; ++h) {
      for (std::int64_t j = 0; j < problem.len_kv; ++j) write_index(code, j, code.k_offset, inputs.k.row(b, h, j));
    }
  }
  inputs.v = small_integers(problem.shape_v(), largest_v, Draw(seed, Stream::v));
  fill_rest(problem, seed, inputs);
  if (problem.has_backward()) inputs.d_o = small_integers(problem.shape_o(), largest_d_o, Draw(seed, Stream::d_o));
  return inputs;
}

std::optional<ExactOutputs> exact_needle(const Problem& problem, std::uint64_t, const Inputs& inputs) {
  ExactOutputs out{.o = Tensor(problem.shape_o()),
                   .lse = Tensor(problem.shape_lse(), -std::numeric_limits<double>::infinity())};
  const bool backward = problem.has_backward();
  if (backward) {
    out.dq = Tensor(problem.shape_q());
    out.dk = Tensor(problem.shape_k());
    out.dv = Tensor(problem.shape_v());
  }
  for_each_needle(problem, [&](std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t key) {
    const std::int64_t h_kv = h / problem.group();
    *out.lse->row(b, h, i) = 0;
    std::copy_n(inputs.v.row(b, h_kv, key), problem.dim_v, out.o->row(b, h, i));
    if (!backward) return;
    double* dv = out.dv->row(b, h_kv, key);
    const double* d_o = inputs.d_o.row(b, h, i);
    for (std::int64_t d = 0; d < problem.dim_v; ++d) dv[d] += d_o[d];
  });
  if (backward) {
    for (double& x : out.dv->values) x = round_to(output_type(problem.type), x);
  }
  return out;
}

}  // namespace

const FillKind needle_fill{
    {Fill::needle, "needle", "each query finds exactly one key: O, LSE and all gradients are exact in every type"},
    refuse_needle,
    make_needle,
    exact_needle};

}  // namespace ringscope
