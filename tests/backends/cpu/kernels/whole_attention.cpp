#include "tests/backends/cpu/kernels/whole_attention.h"

#include <limits>
#include <random>

#include "backends/cpu/landing.h"
#include "core/error.h"

namespace ringscope::cpu {

namespace {

Tensor random_tensor(const Shape& shape, std::mt19937_64& random) {
  Tensor t(shape);
  for (double& x : t.values) {
    double sum = 0;  // of four uniforms in steps of 2^-12: near a normal, exact in float
    for (int n = 0; n < 4; ++n) sum += static_cast<double>(random() >> 52) * 0x1p-12 - 0.5;
    x = 1.5 * sum;
  }
  return t;
}

// Blocks of one tensor: [head][block] -> [B, rows, dims of its parts one after another].
template <class Real>
class BlockStore {
 public:
  BlockStore(const Layout& layout, Side side, std::int64_t batch, std::int64_t heads, std::vector<std::int64_t> dims)
      : layout_(layout), side_(side), batch_(batch), dims_(std::move(dims)) {
    std::int64_t dim = 0;
    for (const std::int64_t d : dims_) dim += d;
    for (std::int64_t h = 0; h < heads; ++h) {
      for (int b = 0; b < layout.blocks(); ++b) {
        blocks_.emplace_back(static_cast<std::size_t>(batch * layout.rows(side, b) * dim), Real(0));
      }
    }
  }

  std::vector<Real*> pointers(const Blocks& blocks) {
    std::vector<Real*> out;
    for (std::size_t at = 0; at < blocks_.size(); at += static_cast<std::size_t>(layout_.blocks())) {
      for (std::int32_t n = 0; n < blocks.count; ++n) {
        const int b = blocks.at(n);
        if (layout_.rows(side_, b) > 0) out.push_back(blocks_[at + static_cast<std::size_t>(b)].data());
      }
    }
    return out;
  }

  std::vector<const Real*> const_pointers(const Blocks& blocks) {
    const auto p = pointers(blocks);
    return {p.begin(), p.end()};
  }

  // Calls visit(element of the block, element of the tensor) for one part.
  template <class Values, class Visit>
  void zip(std::size_t part, Values& tensor, const Visit& visit) {
    std::size_t at = 0;
    for (std::int64_t h = 0; at < blocks_.size(); ++h) {
      for (int b = 0; b < layout_.blocks(); ++b, ++at) {
        const auto positions = layout_.block(side_, b).positions();
        Real* x = blocks_[at].data();
        for (std::size_t before = 0; before < part; ++before) {
          x += batch_ * static_cast<std::int64_t>(positions.size()) * dims_[before];
        }
        for (std::int64_t item = 0; item < batch_; ++item) {
          for (const std::int64_t position : positions) {
            auto* y = tensor.row(item, h, position);
            for (std::int64_t d = 0; d < dims_[part]; ++d) visit(*x++, y[d]);
          }
        }
      }
    }
  }

  void load(std::size_t part, const Tensor& tensor) {
    zip(part, tensor, [](Real& x, const double& y) { x = static_cast<Real>(y); });
  }
  Tensor part(std::size_t part, const Shape& shape) {
    Tensor t(shape);
    zip(part, t, [](Real& x, double& y) { y = x; });
    return t;
  }

 private:
  const Layout& layout_;
  Side side_;
  std::int64_t batch_;
  std::vector<std::int64_t> dims_;
  std::vector<std::vector<Real>> blocks_;
};

std::vector<std::int64_t> rows_of(const Layout& layout, Side side, const Blocks& blocks) {
  std::vector<std::int64_t> out;
  for (std::int32_t n = 0; n < blocks.count; ++n) {
    if (layout.rows(side, blocks.at(n)) > 0) out.push_back(layout.rows(side, blocks.at(n)));
  }
  return out;
}

}  // namespace

Inputs some_inputs(const Problem& p, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Inputs in;
  in.q = random_tensor(p.shape_q(), random);
  in.k = random_tensor(p.shape_k(), random);
  in.v = random_tensor(p.shape_v(), random);
  in.d_o = random_tensor(p.shape_o(), random);
  in.dropout_seed = seed + 17;
  return in;
}

void poison_unseen_keys(const Problem& p, Inputs& inputs) {
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t j = 0; j < p.len_kv; ++j) {
      bool seen = false;
      for (std::int64_t i = 0; i < p.len_q; ++i) seen = seen || may_see(p.mask, p.len_q, p.len_kv, b, i, j);
      for (std::int64_t h = 0; h < p.heads_kv && !seen; ++h) {
        std::fill_n(inputs.k.row(b, h, j), p.dim_qk, std::numeric_limits<double>::quiet_NaN());
        std::fill_n(inputs.v.row(b, h, j), p.dim_v, std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
}

template <class Real>
Attended attend_whole(const Kernel<Real>& kernel, const Problem& p, const Cut& cut, const Inputs& inputs) {
  const Plan plan{p, make_layout({.name = cut.layout}, p, cut.ranks, cut.blocks_per_rank), {}};
  const Layout& layout = plan.layout;
  const std::int64_t h = p.heads_q, h_kv = p.heads_kv;
  BlockStore<Real> q(layout, Side::q, p.batch, h, {p.dim_qk}), d_o(layout, Side::q, p.batch, h, {p.dim_v}),
      dq(layout, Side::q, p.batch, h, {p.dim_qk}), state(layout, Side::q, p.batch, h, {1, 1, p.dim_v}),
      out(layout, Side::q, p.batch, h, {p.dim_v, 1}), stats(layout, Side::q, p.batch, h, {1, 1}),
      kv(layout, Side::kv, p.batch, h_kv, {p.dim_qk, p.dim_v}),
      dkv(layout, Side::kv, p.batch, h_kv, {p.dim_qk, p.dim_v});
  q.load(0, inputs.q);
  d_o.load(0, inputs.d_o);
  kv.load(0, inputs.k);
  kv.load(1, inputs.v);
  Tensor nothing(p.shape_lse());
  state.zip(0, nothing, [](Real& m, double&) { m = -std::numeric_limits<Real>::infinity(); });

  Attended result;
  const Blocks all_q{0, layout.blocks(), 1};
  const auto for_each_attend = [&](const auto& visit) {
    for (int first = 0; first < layout.blocks(); first += cut.kv_blocks_per_attend) {
      Attend a;
      a.q = all_q;
      a.kv = {first, std::min(cut.kv_blocks_per_attend, layout.blocks() - first), 1};
      a.q_heads = {0, static_cast<std::uint16_t>(h)};
      a.kv_heads = {0, static_cast<std::uint16_t>(h_kv)};
      const AttendView view(plan, a);
      AttendCall<Real> call{.problem = p,
                            .view = view,
                            .dropout_seed = inputs.dropout_seed,
                            .step = first,
                            .q_heads = a.q_heads,
                            .kv_heads = a.kv_heads,
                            .q_rows = rows_of(layout, Side::q, a.q),
                            .kv_rows = rows_of(layout, Side::kv, a.kv),
                            .q = q.const_pointers(a.q),
                            .kv = kv.const_pointers(a.kv)};
      visit(a, call);
    }
  };
  for_each_attend([&](const Attend& a, AttendCall<Real>& call) {
    call.state = state.pointers(a.q);
    kernel.forward(call, &result.events);
  });

  const auto rows = rows_of(layout, Side::q, all_q);
  const auto states = state.pointers(all_q), outs = out.pointers(all_q), all_stats = stats.pointers(all_q);
  const auto d_os = d_o.const_pointers(all_q);
  for (std::size_t n = 0; n < states.size(); ++n) {
    const std::int64_t size = p.batch * rows[n % rows.size()];
    finish_state<Real>(states[n], size, p.dim_v, {}, sizeof(Real) == 8 ? ElementType::f64 : ElementType::f32, outs[n]);
    finish_stats<Real>(outs[n], d_os[n], size, p.dim_v, all_stats[n]);
  }
  if (p.has_backward()) {
    for_each_attend([&](const Attend& a, AttendCall<Real>& call) {
      call.d_o = d_o.const_pointers(a.q);
      call.stats = stats.const_pointers(a.q);
      call.dq = dq.pointers(a.q);
      call.dkv = dkv.pointers(a.kv);
      kernel.backward(call);
    });
  }
  result.outputs = {out.part(0, p.shape_o()), out.part(1, p.shape_lse()), dq.part(0, p.shape_q()),
                    dkv.part(0, p.shape_k()), dkv.part(1, p.shape_v()),   {}};
  return result;
}

template <class Real>
std::unique_ptr<Kernel<Real>> make_kernel(std::string_view name, const KernelOptions& options) {
  for (const KernelKind& kind : kernel_kinds()) {
    if (kind.name != name) continue;
    if constexpr (sizeof(Real) == 8) return kind.make_double(options);
    if constexpr (sizeof(Real) == 4) return kind.make_float(options);
  }
  ensure(false, "no kernel of that name");
  return nullptr;
}

template Attended attend_whole(const Kernel<float>&, const Problem&, const Cut&, const Inputs&);
template Attended attend_whole(const Kernel<double>&, const Problem&, const Cut&, const Inputs&);
template std::unique_ptr<Kernel<float>> make_kernel(std::string_view, const KernelOptions&);
template std::unique_ptr<Kernel<double>> make_kernel(std::string_view, const KernelOptions&);

}  // namespace ringscope::cpu
