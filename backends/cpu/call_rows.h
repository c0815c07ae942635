// The rows of an AttendCall for one batch item and one head: pointers into its blocks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cpu/kernel.h"
#include "core/dropout.h"
#include "core/score_terms.h"
#include "core/state.h"

namespace ringscope::cpu {

// One block of query rows; what the call does not bring is null.
template <class Real>
struct QueryRows {
  std::int64_t first = 0, rows = 0;                             // in the attend's local rows
  const Real* q = nullptr;                                      // [rows, Dqk]
  Real *m = nullptr, *l = nullptr, *o = nullptr;                // [rows], [rows], [rows, Dv]
  const Real *d_o = nullptr, *lse = nullptr, *delta = nullptr;  // [rows, Dv], [rows], [rows]
  Real* dq = nullptr;                                           // [rows, Dqk]
};

// One block of keys.
template <class Real>
struct KeyRows {
  std::int64_t first = 0, rows = 0;       // in the attend's local keys
  const Real *k = nullptr, *v = nullptr;  // [rows, Dqk], [rows, Dv]
  Real *dk = nullptr, *dv = nullptr;      // [rows, Dqk], [rows, Dv]
};

// head counts from the beginning of the call's query heads.
template <class Real>
std::vector<QueryRows<Real>> query_rows(const AttendCall<Real>& call, std::int64_t batch, std::int64_t head) {
  const Problem& p = call.problem;
  const auto blocks = call.q_rows.size();
  std::vector<QueryRows<Real>> out(blocks);
  std::int64_t first = 0;
  for (std::size_t n = 0; n < blocks; ++n) {
    const auto at = static_cast<std::size_t>(head) * blocks + n;
    const std::int64_t rows = call.q_rows[n], row = batch * rows, all = p.batch * rows;
    QueryRows<Real>& b = out[n];
    b.first = first;
    b.rows = rows;
    b.q = call.q[at] + row * p.dim_qk;
    if (!call.state.empty()) {
      b.m = call.state[at] + row;
      b.l = call.state[at] + all + row;
      b.o = call.state[at] + 2 * all + row * p.dim_v;
    }
    if (!call.dq.empty()) {
      b.d_o = call.d_o[at] + row * p.dim_v;
      b.lse = call.stats[at] + row;
      b.delta = call.stats[at] + all + row;
      b.dq = call.dq[at] + row * p.dim_qk;
    }
    first += rows;
  }
  return out;
}

// kv_head counts from the beginning of the call's KV heads.
template <class Real>
std::vector<KeyRows<Real>> key_rows(const AttendCall<Real>& call, std::int64_t batch, std::int64_t kv_head) {
  const Problem& p = call.problem;
  const auto blocks = call.kv_rows.size();
  std::vector<KeyRows<Real>> out(blocks);
  std::int64_t first = 0;
  for (std::size_t n = 0; n < blocks; ++n) {
    const auto at = static_cast<std::size_t>(kv_head) * blocks + n;
    const std::int64_t rows = call.kv_rows[n], row = batch * rows, k_size = p.batch * rows * p.dim_qk;
    KeyRows<Real>& b = out[n];
    b.first = first;
    b.rows = rows;
    b.k = call.kv[at] + row * p.dim_qk;
    b.v = call.kv[at] + k_size + row * p.dim_v;
    if (!call.dkv.empty()) {
      b.dk = call.dkv[at] + row * p.dim_qk;
      b.dv = call.dkv[at] + k_size + row * p.dim_v;
    }
    first += rows;
  }
  return out;
}

// The KV head, counted in the call, that the call's query head reads.
template <class Real>
std::int64_t kv_head_of(const AttendCall<Real>& call, std::int64_t head) {
  return (call.q_heads.begin + head) / call.problem.group() - call.kv_heads.begin;
}

// Multiply-adds of one batch item's two forward products, were the mask full: what a team of threads is weighed by.
template <class Real>
double multiply_adds(const AttendCall<Real>& call) {
  return static_cast<double>(call.q_heads.count()) * static_cast<double>(call.view.rows()) *
         static_cast<double>(call.view.keys()) * static_cast<double>(call.problem.dim_qk + call.problem.dim_v);
}

// What becomes of one row's weights: 0 (dropped) or 1 / (1 - probability); 1 without dropout.
template <class Real>
class DropoutRow {
 public:
  DropoutRow(const AttendCall<Real>& call, std::int64_t batch, std::int64_t head, std::int64_t row)
      : call_(call),
        batch_(batch),
        head_(call.q_heads.begin + head),
        query_(call.view.q_positions()[static_cast<std::size_t>(row)]),
        kept_(static_cast<Real>(1 / (1 - call.problem.terms.dropout))) {}

  Real kept(std::int64_t key) {
    const double probability = call_.problem.terms.dropout;
    if (probability == 0) return 1;
    const std::int64_t j = call_.view.kv_positions()[static_cast<std::size_t>(key)];
    if (j / 4 != group_) {
      group_ = j / 4;
      lanes_ = dropout_lanes(call_.dropout_seed, batch_, head_, query_, group_);
    }
    return dropout_lane_keeps(lanes_[static_cast<std::size_t>(j % 4)], probability) ? kept_ : Real(0);
  }

 private:
  const AttendCall<Real>& call_;
  std::int64_t batch_, head_, query_;
  Real kept_;
  std::int64_t group_ = -1;  // of the four keys that the last call to Philox served
  PhiloxCounter lanes_{};
};

}  // namespace ringscope::cpu
