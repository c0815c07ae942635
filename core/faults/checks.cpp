#include "core/faults/checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/tensor_of.h"

namespace ringscope {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool has_dense_fill(const Case& c) {
  return c.fill == Fill::random || c.fill == Fill::overflow;
}

double margin_of(const Figures& figures) {
  if (!figures.present) return 0;
  return figures.nonfinite > 0 ? infinity : std::max(figures.ratio, figures.peak_ratio);
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)) == 0;
}

using Outs = std::vector<Output>;
const Outs all{Output::o, Output::lse, Output::dq, Output::dk, Output::dv};

CheckKind contract(std::string_view name, std::string_view sentence, const Outs& outputs,
                   std::function<bool(const Case&)> is_made) {
  CheckKind kind{name, sentence};
  kind.is_made = std::move(is_made);
  kind.margin = [outputs](const Sighting& s) {
    double worst = 0;
    for (const Output output : outputs) worst = std::max(worst, margin_of(s.report.of(output)));
    return worst;
  };
  kind.looks_alike = [outputs](const Outputs& a, const Outputs& b) {
    return std::all_of(outputs.begin(), outputs.end(),
                       [&](Output output) { return same_bits(tensor_of(a, output), tensor_of(b, output)); });
  };
  return kind;
}

CheckKind exact_fill(std::string_view name, std::string_view sentence, Fill fill) {
  return contract(name, sentence, all, [fill](const Case& c) { return c.fill == fill; });
}

CheckKind weak(CheckKind kind) {
  kind.is_weak = true;
  return kind;
}

// The largest error of O, dQ, dK, dV over 1e-2, whatever their size.
double over_a_hundredth(const Sighting& s) {
  double worst = 0;
  for (const Output output : {Output::o, Output::dq, Output::dk, Output::dv}) {
    const Figures& figures = s.report.of(output);
    if (!figures.present) continue;
    worst = std::max(worst, figures.nonfinite > 0 ? infinity : figures.max_abs / 1e-2);
  }
  return worst;
}

// Every weight of a row sums to 1, so dV sums to dO over the rows and heads that share a KV head.
bool weights_sum_to_one(const Case& c) {
  const Problem& p = c.problem;
  if (!p.has_backward() || p.terms.dropout > 0 || p.terms.sink_logit || c.fill != Fill::random) return false;
  const MaskRows mask = p.mask_rows();
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t i = 0; i < p.len_q; ++i) {
      if (mask.row(b, i).size() == 0) return false;
    }
  }
  return true;
}

// |sum dV - sum dO| over what rounding each dV once and a sum of them may lose: 8 u of their absolute values.
double over_sum_of_d_o(const Sighting& s) {
  const Problem& p = s.problem;
  const double u = std::ldexp(1.0, p.type == ElementType::f64 ? -53 : p.type == ElementType::f32 ? -24 : -9);
  double worst = 0;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t h = 0; h < p.heads_kv; ++h) {
      for (std::int64_t d = 0; d < p.dim_v; ++d) {
        double sum = 0, size = 0;
        for (std::int64_t j = 0; j < p.len_kv; ++j) {
          sum += s.given.dv.row(b, h, j)[d];
          size += std::abs(s.reference.oracle.dv.row(b, h, j)[d]);
        }
        for (std::int64_t g = h * p.group(); g < (h + 1) * p.group(); ++g) {
          for (std::int64_t i = 0; i < p.len_q; ++i) {
            const double x = s.reference.inputs.d_o.row(b, g, i)[d];
            sum -= x;
            size += std::abs(x);
          }
        }
        worst = std::max(worst, std::isfinite(sum) ? std::abs(sum) / (8 * u * size) : infinity);
      }
    }
  }
  return worst;
}

std::vector<CheckKind> make_checks() {
  const auto dense = [](const Case& c) { return has_dense_fill(c); };
  const auto dense_backward = [](const Case& c) { return has_dense_fill(c) && c.problem.has_backward(); };
  std::vector<CheckKind> kinds{
      exact_fill("needle", "exact answers: one key has all the weight", Fill::needle),
      exact_fill("uniform", "exact answers: all keys have the same weight", Fill::uniform),
      exact_fill("poison", "keys that no query may see are NaN, the rest is random", Fill::poison),
      contract("o", "O within its derived bound, dense fills", {Output::o}, dense),
      contract("lse", "LSE within its derived bound, dense fills", {Output::lse}, dense),
      contract("dq", "dQ within its derived bound, dense fills", {Output::dq}, dense_backward),
      contract("dk", "dK within its derived bound, dense fills", {Output::dk}, dense_backward),
      contract("dv", "dV within its derived bound, dense fills", {Output::dv}, dense_backward),
      weak(contract("O only", "only O is looked at", {Output::o}, [](const Case&) { return true; })),
      weak(contract("N=2", "all of the above, but only on two ranks", all,
                    [](const Case& c) { return c.recipe.ranks.count() == 2; })),
      weak(contract("dO=1", "gradients of the sum of O, as a test writes `out.sum().backward()`",
                    {Output::dq, Output::dk, Output::dv}, dense_backward)),
      weak(contract("1e-2", "O, dQ, dK, dV to 1e-2 absolute, random data",
                    {Output::o, Output::dq, Output::dk, Output::dv},
                    [](const Case& c) { return c.fill == Fill::random; })),
      weak(contract("sums", "dV sums to what dO sums to, random data", {Output::dv}, weights_sum_to_one)),
  };
  kinds[kinds.size() - 3].data = DataOfCheck::d_o_is_one;
  kinds[kinds.size() - 2].margin = over_a_hundredth;
  kinds[kinds.size() - 1].margin = over_sum_of_d_o;
  return kinds;
}

}  // namespace

std::span<const CheckKind> table_checks() {
  static const std::vector<CheckKind> kinds = make_checks();
  return kinds;
}

}  // namespace ringscope
