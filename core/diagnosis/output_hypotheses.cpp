// Outputs that are right but for a convention, an exchange or a single number.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/diagnosis/differs.h"
#include "core/diagnosis/hypothesis.h"
#include "core/diagnosis/what_if.h"
#include "core/tensor_of.h"

namespace ringscope {

namespace {

void rebase_lse(const Evidence& e, const Offer& offer) {
  Outputs outputs = e.right;
  for (double& x : outputs.lse.values) x /= std::log(2.0);
  offer({"1.4427 x the natural logarithm; if so, say --lse-base 2", std::move(outputs)});
}

void divide_lse(const Evidence& e, const Offer& offer) {
  Outputs outputs = e.right;
  for (double& x : outputs.lse.values) x /= e.problem.scale();
  offer({{}, std::move(outputs)});
}

void unscale_lse(const Evidence& e, const Offer& offer) {
  Problem forward = e.problem;
  forward.direction = Direction::forward;
  Mistake mistake;
  mistake.scale = 1;
  Outputs outputs = e.right;
  outputs.lse = what_if(forward, e.inputs, mistake).lse;
  offer({{}, std::move(outputs)});
}

void fill_empty_lse(const Evidence& e, const Offer& offer) {
  if (e.given.lse.empty()) return;
  Outputs outputs = e.right;
  std::optional<double> value;
  for (std::size_t n = 0; n < outputs.lse.values.size(); ++n) {
    if (!std::isinf(outputs.lse.values[n])) continue;
    if (!value) value = e.given.lse.values[n];
    outputs.lse.values[n] = *value;
  }
  if (!value || !std::isfinite(*value)) return;
  offer({"lse is " + std::to_string(*value) + " there; if so, say --empty-lse " + std::to_string(*value),
         std::move(outputs)});
}

// The heads (batches) of the first wrong output that hold a wrong element.
std::vector<std::int64_t> wrong_parts(const Evidence& e, Output output, bool by_head) {
  const Tensor& given = tensor_of(e.given, output);
  const Tensor& right = tensor_of(e.right, output);
  const std::int64_t parts = by_head ? given.shape.heads : given.shape.batch;
  std::vector<std::int64_t> out;
  for (std::int64_t part = 0; part < parts; ++part) {
    bool wrong = false;
    for (std::int64_t b = 0; b < given.shape.batch && !wrong; ++b) {
      for (std::int64_t h = 0; h < given.shape.heads && !wrong; ++h) {
        if ((by_head ? h : b) != part) continue;
        const auto begin = static_cast<std::size_t>(given.offset(b, h, 0));
        const auto end = begin + static_cast<std::size_t>(given.shape.rows * given.shape.dim);
        for (std::size_t n = begin; n < end && !wrong; ++n) {
          wrong = differs(given.values[n], right.values[n], 6 * e.divisor[static_cast<std::size_t>(output)]);
        }
      }
    }
    if (wrong) out.push_back(part);
  }
  return out;
}

Tensor exchanged(const Tensor& tensor, std::int64_t a, std::int64_t c, bool by_head) {
  Tensor out = tensor;
  for (std::int64_t b = 0; b < tensor.shape.batch; ++b) {
    for (std::int64_t h = 0; h < tensor.shape.heads; ++h) {
      const std::int64_t at = by_head ? h : b, other = at == a ? c : at == c ? a : at;
      if (other == at) continue;
      const double* from = by_head ? tensor.row(b, other, 0) : tensor.row(other, h, 0);
      std::copy(from, from + tensor.shape.rows * tensor.shape.dim, out.row(b, h, 0));
    }
  }
  return out;
}

void exchange(const Evidence& e, bool by_head, const Offer& offer) {
  if (!e.first_wrong || !e.first_wrong->output) return;
  const auto wrong = wrong_parts(e, *e.first_wrong->output, by_head);
  if (wrong.size() != 2) return;
  Outputs outputs = e.right;
  const std::int64_t heads = tensor_of(e.given, *e.first_wrong->output).shape.heads;
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    Tensor& tensor = tensor_of(outputs, output);
    const Figures& figures = e.figures[static_cast<std::size_t>(n)];
    if (tensor.empty() || figures.verdict == Verdict::passed || (by_head && tensor.shape.heads != heads)) continue;
    tensor = exchanged(tensor, wrong[0], wrong[1], by_head);
  }
  const char* what = by_head ? "heads " : "batch entries ";
  offer({what + std::to_string(wrong[0]) + " and " + std::to_string(wrong[1]), std::move(outputs)});
}

double distance2(const double* a, const double* b, std::int64_t size) {
  double sum = 0;
  for (std::int64_t n = 0; n < size; ++n) sum += (a[n] - b[n]) * (a[n] - b[n]);
  return sum;
}

// The head of `right` that is nearest to what was given as head h.
std::int64_t nearest_head(const Tensor& given, const Tensor& right, std::int64_t h) {
  const std::int64_t size = given.shape.rows * given.shape.dim;
  std::int64_t nearest = h;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t other = 0; other < given.shape.heads; ++other) {
    double sum = 0;
    for (std::int64_t b = 0; b < given.shape.batch; ++b) {
      sum += distance2(given.row(b, h, 0), right.row(b, other, 0), size);
    }
    if (sum < least) least = sum, nearest = other;
  }
  return nearest;
}

// A head that holds another's values; where two hold each other's they are exchanged, which has a name of its own.
void copy_heads(const Evidence& e, const Offer& offer) {
  if (!e.first_wrong || !e.first_wrong->output) return;
  const Output first = *e.first_wrong->output;
  const Tensor &given = tensor_of(e.given, first), &right = tensor_of(e.right, first);
  std::vector<std::int64_t> from;
  for (std::int64_t h = 0; h < given.shape.heads; ++h) from.push_back(h);
  std::string detail;
  for (const std::int64_t h : wrong_parts(e, first, true)) {
    const std::int64_t other = nearest_head(given, right, h);
    if (other == h) return;
    from[static_cast<std::size_t>(h)] = other;
    detail += (detail.empty() ? "head " : ", head ") + std::to_string(h) + " holds head " + std::to_string(other);
  }
  const auto from_of = [&](std::int64_t h) { return from[static_cast<std::size_t>(h)]; };
  for (std::int64_t h = 0; h < given.shape.heads; ++h) {
    if (from_of(h) != h && from_of(from_of(h)) != from_of(h)) return;
  }
  Outputs outputs = e.right;
  for (int n = 0; n < output_kinds; ++n) {
    Tensor& tensor = tensor_of(outputs, static_cast<Output>(n));
    const bool is_wrong = e.figures[static_cast<std::size_t>(n)].verdict == Verdict::failed;
    if (tensor.empty() || !is_wrong || tensor.shape.heads != given.shape.heads) continue;
    const Tensor whole = tensor;
    for (std::int64_t b = 0; b < tensor.shape.batch; ++b) {
      for (std::int64_t h = 0; h < tensor.shape.heads; ++h) {
        const double* head = whole.row(b, from_of(h), 0);
        std::copy(head, head + tensor.shape.rows * tensor.shape.dim, tensor.row(b, h, 0));
      }
    }
  }
  if (!detail.empty()) offer({std::move(detail), std::move(outputs)});
}

void change_one_element(const Evidence& e, const Offer& offer) {
  Outputs outputs = e.right;
  std::string detail;
  int count = 0;
  for (int n = 0; n < output_kinds && count < 2; ++n) {
    const Output output = static_cast<Output>(n);
    const Tensor& given = tensor_of(e.given, output);
    Tensor& right = tensor_of(outputs, output);
    if (given.empty() || right.empty()) continue;
    for (std::size_t at = 0; at < given.values.size() && count < 2; ++at) {
      if (!differs(given.values[at], right.values[at], 6 * e.divisor[static_cast<std::size_t>(n)])) continue;
      ++count;
      detail = "element " + std::to_string(at % static_cast<std::size_t>(given.shape.dim)) + " of the row is " +
               std::to_string(given.values[at]) + " instead of " + std::to_string(right.values[at]);
      right.values[at] = given.values[at];
    }
  }
  if (count == 1) offer({std::move(detail), std::move(outputs)});
}

// Rows lie rank by rank although natural order was declared, or the other way round.
void leave_in_local_order(const Evidence& e, const Offer& offer) {
  if (!e.layout) return;
  Outputs outputs = e.right;
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    Tensor& tensor = tensor_of(outputs, output);
    if (tensor.empty()) continue;
    const Tensor natural = tensor;
    const Side side = output == Output::dk || output == Output::dv ? Side::kv : Side::q;
    for (std::int64_t b = 0; b < tensor.shape.batch; ++b) {
      for (std::int64_t h = 0; h < tensor.shape.heads; ++h) {
        std::int64_t row = 0;
        for (int block = 0; block < e.layout->blocks(); ++block) {
          for (const std::int64_t p : e.layout->block(side, block).positions()) {
            std::copy(natural.row(b, h, p), natural.row(b, h, p) + tensor.shape.dim, tensor.row(b, h, row++));
          }
        }
      }
    }
  }
  offer({{}, std::move(outputs)});
}

}  // namespace

std::vector<Hypothesis> output_hypotheses() {
  return {
      {"one_element", "a single element is wrong", change_one_element, true},
      {"lse_base_2", "lse is a logarithm to base 2", rebase_lse},
      {"lse_over_scale", "lse is divided by the scale", divide_lse},
      {"lse_unscaled", "lse is of scores without the scale", unscale_lse},
      {"empty_row_lse_finite", "rows that see no key have a finite lse instead of -infinity", fill_empty_lse},
      {"heads_swapped", "two heads are exchanged",
       [](const Evidence& e, const Offer& offer) { exchange(e, true, offer); }},
      {"head_copied", "a head holds another head's values", copy_heads},
      {"batches_swapped", "two batch entries are exchanged",
       [](const Evidence& e, const Offer& offer) { exchange(e, false, offer); }},
      {"output_not_unpermuted", "outputs lie in the ranks' local order", leave_in_local_order},
  };
}

}  // namespace ringscope
