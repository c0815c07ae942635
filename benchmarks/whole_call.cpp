#include "benchmarks/whole_call.h"

#include <algorithm>
#include <random>

#include "backends/cpu/landing.h"
#include "core/layout.h"
#include "core/pair_count.h"
#include "core/state.h"

namespace ringscope::bench {

namespace {

Attend whole_attend(const Problem& p) {
  Attend a;
  a.q_heads = {0, static_cast<std::uint16_t>(p.heads_q)};
  a.kv_heads = {0, static_cast<std::uint16_t>(p.heads_kv)};
  return a;
}

cpu::AttendCall<float> empty_call(const Problem& p, const AttendView& view, const Attend& a) {
  return {.problem = p,
          .view = view,
          .q_heads = a.q_heads,
          .kv_heads = a.kv_heads,
          .q_rows = {p.len_q},
          .kv_rows = {p.len_kv}};
}

}  // namespace

WholeCall::WholeCall(const Problem& problem, const cpu::Kernel<float>& kernel)
    : problem_(problem),
      plan_{problem, make_layout({}, problem, 1, 1), {}},
      attend_(whole_attend(problem)),
      view_(plan_, attend_),
      kernel_(kernel),
      forward_(empty_call(problem_, view_, attend_)),
      backward_(empty_call(problem_, view_, attend_)) {
  const std::int64_t q_rows = problem.batch * problem.len_q, kv_rows = problem.batch * problem.len_kv;
  for (std::int64_t h = 0; h < problem.heads_q; ++h) {
    forward_.q.push_back(tensor(q_rows * problem.dim_qk, true));
    forward_.state.push_back(tensor(q_rows * (2 + problem.dim_v), false));
    backward_.d_o.push_back(tensor(q_rows * problem.dim_v, true));
    backward_.dq.push_back(tensor(q_rows * problem.dim_qk, false));
  }
  for (std::int64_t h = 0; h < problem.heads_kv; ++h) {
    forward_.kv.push_back(tensor(kv_rows * (problem.dim_qk + problem.dim_v), true));
    backward_.dkv.push_back(tensor(kv_rows * (problem.dim_qk + problem.dim_v), false));
  }
  backward_.q = forward_.q;
  backward_.kv = forward_.kv;
  forward();
  std::vector<float> out(static_cast<std::size_t>(q_rows * (problem.dim_v + 1)));
  for (std::size_t h = 0; h < forward_.state.size(); ++h) {
    float* stats = tensor(2 * q_rows, false);
    cpu::finish_state<float>(forward_.state[h], q_rows, problem.dim_v, {}, ElementType::f32, out.data());
    cpu::finish_stats<float>(out.data(), backward_.d_o[h], q_rows, problem.dim_v, stats);
    backward_.stats.push_back(stats);
  }
}

float* WholeCall::tensor(std::int64_t size, bool random) {
  std::vector<float>& x = memory_.emplace_back(static_cast<std::size_t>(size), 0.0F);
  std::minstd_rand numbers(static_cast<unsigned>(memory_.size()));
  std::uniform_real_distribution<float> uniform(-1.7F, 1.7F);  // variance near 1
  if (random) std::generate(x.begin(), x.end(), [&] { return uniform(numbers); });
  return x.data();
}

void WholeCall::forward() {
  const std::int64_t rows = problem_.batch * problem_.len_q;
  for (float* state : forward_.state) {
    std::fill_n(state, rows, no_score<float>);
    std::fill_n(state + rows, rows * (1 + problem_.dim_v), 0.0F);
  }
  kernel_.forward(forward_, nullptr);
}

void WholeCall::backward() {
  kernel_.backward(backward_);
}

double WholeCall::multiply_adds_of_a_product() const {
  return static_cast<double>(total_pairs(problem_) * problem_.heads_q) * static_cast<double>(problem_.dim_qk);
}

}  // namespace ringscope::bench
