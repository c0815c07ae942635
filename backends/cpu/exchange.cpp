#include "backends/cpu/exchange.h"

#include "backends/cpu/attend_call.h"

namespace ringscope::cpu {

namespace {

// The rows of one block of one head of one tensor.
struct Rows {
  const BlockRows& block;
  std::int64_t batch, head;
};

template <class Row>
void for_each_row(const Rows& rows, const Row& row) {
  for (std::int64_t b = 0; b < rows.batch; ++b) {
    std::int64_t local = b * rows.block.rows();
    for (const Range& range : rows.block.ranges()) {
      for (std::int64_t k = 0; k < range.size(); ++k, ++local) row(b, range.position(k), local);
    }
  }
}

template <class Real>
void gather(const Tensor& from, const Rows& rows, Real* to) {  // [B, rows, D]
  const std::int64_t dim = from.shape.dim;
  for_each_row(rows, [&](std::int64_t b, std::int64_t position, std::int64_t local) {
    const double* source = from.row(b, rows.head, position);
    Real* target = to + local * dim;
    for (std::int64_t d = 0; d < dim; ++d) target[d] = static_cast<Real>(source[d]);
  });
}

template <class Real>
void scatter(const Real* from, const Rows& rows, ElementType type, Tensor& to) {
  const std::int64_t dim = to.shape.dim;
  for_each_row(rows, [&](std::int64_t b, std::int64_t position, std::int64_t local) {
    const Real* source = from + local * dim;
    double* target = to.row(b, rows.head, position);
    for (std::int64_t d = 0; d < dim; ++d) target[d] = round_to(type, static_cast<double>(source[d]));
  });
}

template <class Visit>
void for_each_own_block(const Layout& layout, int rank, Side side, const Visit& visit) {
  for (int block = rank * layout.blocks_per_rank; block < (rank + 1) * layout.blocks_per_rank; ++block) {
    if (layout.rows(side, block) > 0) visit(block);
  }
}

template <class Real>
Buffer<Real> finished_gradient(const Plan& plan, const Store<Real>& store, const Turning<Real>& turning,
                               const Atom& atom) {
  const Buffer<Real>& accumulated = store.at(atom).buffer;
  if (!accumulated) return identity<Real>(plan, atom);
  if (!turning.on()) return accumulated;
  Buffer<Real> turned_back = accumulated.copy();
  turning.turn_back(atom, turned_back.data());
  return turned_back;
}

}  // namespace

template <class Real>
void upload(const Plan& plan, int rank, const Inputs& inputs, Store<Real>& store) {
  const Problem& p = plan.problem;
  for_each_own_block(plan.layout, rank, Side::q, [&](int block) {
    for (int h = 0; h < p.heads_q; ++h) {
      const Rows rows{plan.layout.block(Side::q, block), p.batch, h};
      const Atom q{TensorKind::q, block, h}, d_o{TensorKind::d_o, block, h};
      Buffer<Real> values(store.size_of(q));
      gather(inputs.q, rows, values.data());
      store.put(q, home_slot, std::move(values));
      if (!plan.schedule.has_backward()) continue;
      Buffer<Real> gradient(store.size_of(d_o));
      gather(inputs.d_o, rows, gradient.data());
      store.put(d_o, home_slot, std::move(gradient));
    }
  });
  for_each_own_block(plan.layout, rank, Side::kv, [&](int block) {
    for (int h = 0; h < p.heads_kv; ++h) {
      const Rows rows{plan.layout.block(Side::kv, block), p.batch, h};
      const Atom kv{TensorKind::kv, block, h};
      Buffer<Real> values(store.size_of(kv));
      gather(inputs.k, rows, values.data());
      gather(inputs.v, rows, values.data() + p.batch * rows.block.rows() * p.dim_qk);
      store.put(kv, home_slot, std::move(values));
    }
  });
}

template <class Real>
void download(const Plan& plan, int rank, const Store<Real>& store, const Turning<Real>& turning, Outputs& outputs) {
  const Problem& p = plan.problem;
  const bool has_backward = plan.schedule.has_backward();
  const ElementType type = output_type(p.type);
  const ElementType accumulator = p.type == ElementType::f64 ? ElementType::f64 : ElementType::f32;
  for_each_own_block(plan.layout, rank, Side::q, [&](int block) {
    for (int h = 0; h < p.heads_q; ++h) {
      const Rows rows{plan.layout.block(Side::q, block), p.batch, h};
      const Atom dq{TensorKind::dq, block, h};
      if (const Buffer<Real>& out = store.at({TensorKind::out, block, h}).buffer) {
        scatter(out.data(), rows, type, outputs.o);
        scatter(out.data() + p.batch * rows.block.rows() * p.dim_v, rows, accumulator, outputs.lse);
      }
      if (has_backward) scatter(finished_gradient(plan, store, turning, dq).data(), rows, type, outputs.dq);
    }
  });
  if (!has_backward) return;
  for_each_own_block(plan.layout, rank, Side::kv, [&](int block) {
    for (int h = 0; h < p.heads_kv; ++h) {
      const Rows rows{plan.layout.block(Side::kv, block), p.batch, h};
      const Buffer<Real> gradient = finished_gradient(plan, store, turning, Atom{TensorKind::dkv, block, h});
      scatter(gradient.data(), rows, type, outputs.dk);
      scatter(gradient.data() + p.batch * rows.block.rows() * p.dim_qk, rows, type, outputs.dv);
    }
  });
}

template void upload(const Plan&, int, const Inputs&, Store<float>&);
template void upload(const Plan&, int, const Inputs&, Store<double>&);
template void download(const Plan&, int, const Store<float>&, const Turning<float>&, Outputs&);
template void download(const Plan&, int, const Store<double>&, const Turning<double>&, Outputs&);

}  // namespace ringscope::cpu
