#include "core/footprint.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

constexpr double bytes_per_value = 8;

double values_of(const Shape& s) {
  return static_cast<double>(s.batch) * static_cast<double>(s.heads) * static_cast<double>(s.rows) *
         static_cast<double>(s.dim);
}

double bytes_of(const Shape& s) {
  return bytes_per_value * values_of(s);
}

// Ranks widen 16 and 8 bits to 32.
double computed_bytes_per_value(const Problem& p) {
  return p.type == ElementType::f64 ? 8 : 4;
}

// What ranks hold in the type of storage when a proof counts, and in a wider one when they compute.
double widened_bytes(const Problem& p) {
  const double in = values_of(p.shape_q()) + values_of(p.shape_k()) + values_of(p.shape_v());
  const double out = values_of(p.shape_o()) * (p.has_backward() ? 2 : 1);
  const double wide = computed_bytes_per_value(p);
  return in * (wide - static_cast<double>(bytes_of(p.type))) +
         out * (wide - static_cast<double>(bytes_of(output_type(p.type))));
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
  Footprint out{.inputs = q + k + v, .outputs = o + lse};
  if (p.has_backward()) out = {.inputs = q + k + v + o, .outputs = o + lse + q + k + v};
  out.ranks = (out.inputs + out.outputs) / bytes_per_value * computed_bytes_per_value(p);  // all of it, in the end
  return out;
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
  parts += ", the ranks' own " + memory_in_words(f.ranks);
  if (f.snapshots > 0) parts += ", each step's " + memory_in_words(f.snapshots);
  if (f.written > 0) parts += ", copies to write " + memory_in_words(f.written);
  if (f.judgement > 0) parts += ", the oracle and its bounds " + memory_in_words(f.judgement);
  refuse_size("a case with tensors (" + parts + ")", f.total(), free_bytes,
              "take fewer tokens, heads or batch items, or `fwd`");
}

void require_room_for_ranks(const Problem& problem, std::span<const std::int64_t> peak_bytes, const Footprint& f,
                            double free_bytes) {
  if (free_bytes == 0) return;
  const double held = std::accumulate(peak_bytes.begin(), peak_bytes.end(), 0.0) + widened_bytes(problem);
  const double beside = f.total() - f.ranks;
  if (beside + held <= free_bytes) return;
  refuse_size("a case whose " + std::to_string(peak_bytes.size()) + " ranks hold copies of their own", beside + held,
              free_bytes, "take fewer ranks or tokens, or a schedule that gathers less");
}

// Beside the plan first an index by rank, of each item and of each step, then the pairs of every two blocks.
void require_room_for_proof(const Plan& plan, double free_bytes) {
  const Schedule& s = plan.schedule;
  const auto moves = static_cast<double>(s.moves.size()), attends = static_cast<double>(s.attends.size());
  const double ranks = plan.layout.ranks, steps = s.steps() + 1, blocks = plan.layout.blocks();
  const double index = 8 * (moves + attends) + 5 * 8 * ranks * steps, tiles = 8 * blocks * blocks;
  const double bytes = sizeof(Move) * moves + sizeof(Attend) * attends + std::max(index, tiles);
  if (free_bytes == 0 || bytes <= free_bytes) return;
  refuse_size("the proof of a plan of " + std::to_string(plan.layout.ranks) + " ranks and " +
                  std::to_string(s.steps()) + " steps",
              bytes, free_bytes, "take fewer ranks");
}

// All heads of a block are attended at the same time; what an attend has made is held by somebody from then on.
double snapshot_bytes(const Plan& plan) {
  const Problem& p = plan.problem;
  const int steps = plan.schedule.steps();
  const auto blocks = static_cast<std::size_t>(plan.layout.blocks());
  std::vector<int> o(blocks, steps), dq(blocks, steps), dkv(blocks, steps);  // [block]: the first step that has it
  for (int t = steps - 1; t >= 0; --t) {
    const bool backward = plan.schedule.pass(t) == Pass::backward;
    for (const Attend& a : plan.schedule.attends_of(t)) {
      for (int i = 0; i < a.q.count; ++i) (backward ? dq : o)[static_cast<std::size_t>(a.q.at(i))] = t;
      for (int i = 0; backward && i < a.kv.count; ++i) dkv[static_cast<std::size_t>(a.kv.at(i))] = t;
    }
  }
  double values = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto q_rows = static_cast<double>(p.heads_q * plan.layout.rows(Side::q, static_cast<int>(b)));
    const auto kv_rows = static_cast<double>(p.heads_kv * plan.layout.rows(Side::kv, static_cast<int>(b)));
    values += q_rows * static_cast<double>((steps - o[b]) * (p.dim_v + 1) + (steps - dq[b]) * p.dim_qk);
    values += kv_rows * static_cast<double>((steps - dkv[b]) * (p.dim_qk + p.dim_v));
  }
  return bytes_per_value * static_cast<double>(p.batch) * values;
}

void refuse_size(const std::string& what, double bytes, double free_bytes, const std::string& fix) {
  throw Error(ErrorKind::bad_request, "too large: " + what + ": at least " + memory_in_words(bytes) + " of memory",
              "at most the " + memory_in_words(free_bytes) + " that are free", fix);
}

}  // namespace ringscope
