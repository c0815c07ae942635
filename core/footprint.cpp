#include "core/footprint.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

constexpr double bytes_per_value = 8;

double bytes_of(const Shape& s) {
  return bytes_per_value * static_cast<double>(s.batch) * static_cast<double>(s.heads) * static_cast<double>(s.rows) *
         static_cast<double>(s.dim);
}

// Estimates of what cannot be may exceed every integer.
std::string memory_in_words(double bytes) {
  constexpr double most = 9e18;
  return bytes_in_words(static_cast<std::int64_t>(std::min(bytes, most)));
}

}  // namespace

Footprint footprint_of_run(const Problem& p) {
  const double q = bytes_of(p.shape_q()), k = bytes_of(p.shape_k()), v = bytes_of(p.shape_v());
  const double o = bytes_of(p.shape_o()), lse = bytes_of(p.shape_lse());
  if (!p.has_backward()) return {.inputs = q + k + v, .outputs = o + lse};
  return {.inputs = q + k + v + o, .outputs = o + lse + q + k + v};
}

Footprint footprint_of_verify(const Problem& p) {
  Footprint out = footprint_of_run(p);
  const bool has_baseline = p.type != ElementType::f64;
  out.judgement = (has_baseline ? 3 : 2) * out.outputs;  // oracle, magnitudes, baseline
  return out;
}

void require_room(const Footprint& f, double free_bytes) {
  if (free_bytes == 0 || f.total() <= free_bytes) return;
  std::string parts = "inputs " + memory_in_words(f.inputs) + ", outputs " + memory_in_words(f.outputs);
  if (f.judgement > 0) parts += ", the oracle and its bounds " + memory_in_words(f.judgement);
  refuse_size("a case with tensors (" + parts + ")", f.total(), free_bytes,
              "take fewer tokens, heads or batch items, or `fwd`");
}

void require_room_for_ranks(std::span<const std::int64_t> peak_bytes, double free_bytes) {
  const double bytes = std::accumulate(peak_bytes.begin(), peak_bytes.end(), 0.0);
  if (free_bytes == 0 || bytes <= free_bytes) return;
  refuse_size("a case whose " + std::to_string(peak_bytes.size()) + " ranks hold copies of their own", bytes,
              free_bytes, "take fewer ranks or tokens, or a schedule that gathers less");
}

void refuse_size(const std::string& what, double bytes, double free_bytes, const std::string& fix) {
  throw Error(ErrorKind::bad_request, "too large: " + what + ": at least " + memory_in_words(bytes) + " of memory",
              "at most the " + memory_in_words(free_bytes) + " that are free", fix);
}

}  // namespace ringscope
