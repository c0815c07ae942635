#include "core/foreign/block_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/partial_rows.h"
#include "core/tensor_of.h"

namespace ringscope {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Sums of squares and products of x c = y, c the blocks taken too often.
struct NormalEquations {
  std::vector<double> squares, products;  // [n * n], [n]
  double y2 = 0;
  bool is_wrong = false;

  explicit NormalEquations(std::size_t n) : squares(n * n), products(n) {}

  void add(const std::vector<double>& x, double y) {
    const std::size_t n = products.size();
    for (std::size_t a = 0; a < n; ++a) {
      if (x[a] == 0) continue;
      products[a] += x[a] * y;
      for (std::size_t b = 0; b < n; ++b) squares[a * n + b] += x[a] * x[b];
    }
    y2 += y * y;
  }

  // Gauss and Jordan; a little is added to the diagonal, so that what the rows do not tell comes out as 0.
  std::vector<double> solve() const {
    const std::size_t n = products.size();
    std::vector<double> a = squares, c = products;
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, a[i * n + i]);
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] += 1e-12 * most + std::numeric_limits<double>::min();
    for (std::size_t i = 0; i < n; ++i) {  // positive definite: no pivot is needed
      for (std::size_t r = 0; r < n; ++r) {
        if (r == i) continue;
        const double factor = a[r * n + i] / a[i * n + i];
        for (std::size_t k = i; k < n; ++k) a[r * n + k] -= factor * a[i * n + k];
        c[r] -= factor * c[i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) c[i] /= a[i * n + i];
    return c;
  }

  double explained(const std::vector<double>& c) const {
    const std::size_t n = c.size();
    double left = y2;
    for (std::size_t i = 0; i < n; ++i) {
      left -= 2 * c[i] * products[i];
      for (std::size_t k = 0; k < n; ++k) left += c[i] * squares[i * n + k] * c[k];
    }
    return y2 > 0 ? std::clamp(1 - left / y2, 0.0, 1.0) : nan;
  }
};

class Shares {
 public:
  Shares(const Evidence& e, Output output)
      : e_(e),
        output_(output),
        plan_{e.problem, *e.layout, {}},
        n_(static_cast<std::size_t>(e.layout->ranks)),
        rows_(plan_, e.inputs, e.right),
        given_(tensor_of(e.given, output)),
        right_(tensor_of(e.right, output)) {}

  BlockShares find() {
    BlockShares out{output_, static_cast<int>(n_), std::vector<double>(n_ * n_, nan), std::vector<double>(n_, nan)};
    for (std::size_t rank = 0; rank < n_; ++rank) {
      NormalEquations equations(n_);
      std::vector<bool> meets(n_);
      for (int b = 0; b < e_.layout->blocks(); ++b) {
        if (e_.layout->owner(b) == static_cast<int>(rank)) add_block(b, equations, meets);
      }
      const std::vector<double> c = equations.solve();
      for (std::size_t other = 0; other < n_; ++other) {
        if (meets[other]) out.taken[rank * n_ + other] = 1 + c[other];
      }
      if (equations.is_wrong) out.explained[rank] = equations.explained(c);
    }
    return out;
  }

 private:
  Side side() const { return output_ == Output::dk || output_ == Output::dv ? Side::kv : Side::q; }

  void add_block(int block, NormalEquations& equations, std::vector<bool>& meets) {
    for (const std::int64_t row : e_.layout->block(side(), block).positions()) {
      for (std::int64_t b = 0; b < given_.shape.batch; ++b) {
        for (std::int64_t h = 0; h < given_.shape.heads; ++h) {
          const RowOf at{block, b, h, row};
          output_ == Output::o ? add_output(at, equations, meets) : add_gradient(at, equations, meets);
        }
      }
    }
  }

  struct RowOf {
    int block = 0;
    std::int64_t batch = 0, head = 0, row = 0;
  };

  std::vector<double> part(Output output, const RowOf& at, std::span<const Part> parts) {
    return rows_.values(output, at.batch, at.head, at.row, parts);
  }

  void add_output(const RowOf& at, NormalEquations& equations, std::vector<bool>& meets) {
    const double* right = right_.row(at.batch, at.head, at.row);
    const double* given = given_.row(at.batch, at.head, at.row);
    const double lse = *e_.right.lse.row(at.batch, at.head, at.row);
    const bool has_lse = !e_.given.lse.empty();
    const double given_lse = has_lse ? *e_.given.lse.row(at.batch, at.head, at.row) : lse;
    if (!std::isfinite(lse) || !std::isfinite(given_lse) || !is_finite(given)) return;
    std::vector<double> weights(n_);
    std::vector<std::vector<double>> outputs(n_);
    for (std::size_t other = 0; other < n_; ++other) {
      const std::vector<Part> parts = parts_of(at, static_cast<int>(other));
      const double part_lse = part(Output::lse, at, parts)[0];
      if (part_lse == -std::numeric_limits<double>::infinity()) continue;
      meets[other] = true;
      weights[other] = std::exp(part_lse - lse);
      outputs[other] = part(Output::o, at, parts);
    }
    const double growth = std::exp(given_lse - lse);
    std::vector<double> x(n_);
    for (std::int64_t d = 0; d < given_.shape.dim; ++d) {
      const double y = has_lse ? growth * given[d] - right[d] : given[d] - right[d];
      for (std::size_t other = 0; other < n_; ++other) {
        const double o = outputs[other].empty() ? 0 : outputs[other][static_cast<std::size_t>(d)];
        x[other] = weights[other] * (has_lse ? o : o - given[d]);
      }
      equations.add(x, y);
      equations.is_wrong = equations.is_wrong || std::abs(given[d] - right[d]) > tolerance(Output::o);
    }
    if (!has_lse) return;
    equations.add(weights, growth - 1);
    equations.is_wrong = equations.is_wrong || std::abs(given_lse - lse) > tolerance(Output::lse);
  }

  void add_gradient(const RowOf& at, NormalEquations& equations, std::vector<bool>& meets) {
    const double* right = right_.row(at.batch, at.head, at.row);
    const double* given = given_.row(at.batch, at.head, at.row);
    if (!is_finite(given)) return;
    std::vector<std::vector<double>> shares;
    for (std::size_t other = 0; other < n_; ++other) {
      shares.push_back(part(output_, at, parts_of(at, static_cast<int>(other))));
      const auto is_something = [](double x) { return x != 0; };
      if (std::any_of(shares.back().begin(), shares.back().end(), is_something)) meets[other] = true;
    }
    std::vector<double> x(n_);
    for (std::int64_t d = 0; d < given_.shape.dim; ++d) {
      for (std::size_t other = 0; other < n_; ++other) x[other] = shares[other][static_cast<std::size_t>(d)];
      equations.add(x, given[d] - right[d]);
      equations.is_wrong = equations.is_wrong || std::abs(given[d] - right[d]) > tolerance(output_);
    }
  }

  bool is_finite(const double* row) const {
    return std::all_of(row, row + given_.shape.dim, [](double x) { return std::isfinite(x); });
  }
  double tolerance(Output output) const { return 6 * e_.divisor[static_cast<std::size_t>(output)]; }

  // What the blocks of one rank add to the row.
  std::vector<Part> parts_of(const RowOf& at, int rank) const {
    std::vector<Part> parts;
    for (int b = rank * e_.layout->blocks_per_rank; b < (rank + 1) * e_.layout->blocks_per_rank; ++b) {
      if (side() == Side::q) {
        parts.push_back({at.block, static_cast<int>(at.head), b});
        continue;
      }
      const std::int64_t group = e_.problem.group();
      for (std::int64_t h = at.head * group; h < (at.head + 1) * group; ++h) {
        parts.push_back({b, static_cast<int>(h), at.block});
      }
    }
    return parts;
  }

  const Evidence& e_;
  Output output_;
  Plan plan_;
  std::size_t n_;
  PartialRows rows_;
  const Tensor &given_, &right_;
};

}  // namespace

std::vector<BlockShares> block_shares(const Evidence& evidence) {
  std::vector<BlockShares> out;
  if (!evidence.layout || evidence.layout->ranks < 2) return out;
  const auto is_wrong = [&](Output output) {
    return evidence.figures[static_cast<std::size_t>(output)].verdict == Verdict::failed;
  };
  const auto find = [&](Output output) {
    if (!tensor_of(evidence.given, output).empty()) out.push_back(Shares(evidence, output).find());
  };
  if (is_wrong(Output::o) || is_wrong(Output::lse)) find(Output::o);
  if (evidence.problem.terms.rope_base > 0) return out;  // shares of gradients stay turned
  for (const Output output : {Output::dq, Output::dk, Output::dv}) {
    if (is_wrong(output)) find(output);
  }
  return out;
}

}  // namespace ringscope
