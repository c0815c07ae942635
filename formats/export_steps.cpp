// What each rank holds after each step, as tensors: the State normalised, partial sums of the gradients.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rope.h"
#include "formats/export.h"

namespace ringscope {

namespace {

class StepWriter {
 public:
  StepWriter(const Plan& plan, std::vector<TensorToWrite>& out) : plan_(plan), p_(plan.problem), out_(out) {}

  void write(const Snapshot& snapshot) {
    prefix_ = "t" + std::to_string(snapshot.step) + ".r" + std::to_string(snapshot.rank) + ".";
    rank_ = snapshot.rank;
    if (plan_.schedule.pass(snapshot.step) == Pass::forward) {
      write_states(snapshot);
      return;
    }
    write_q_side(snapshot, TensorKind::dq);
    write_dkv(snapshot);
  }

 private:
  std::int64_t rows(Side side, int block) const { return p_.batch * plan_.layout.rows(side, block); }

  // Own blocks make one tensor; each other block makes one of its own.
  void write_q_side(const Snapshot& snapshot, TensorKind tensor) {
    std::vector<const Held*> own;
    for (std::size_t begin = 0; begin < snapshot.held.size();) {
      std::size_t end = begin;
      while (end < snapshot.held.size() && snapshot.held[end].tensor == snapshot.held[begin].tensor &&
             snapshot.held[end].block == snapshot.held[begin].block) {
        ++end;
      }
      std::vector<const Held*> heads;
      for (; begin < end; ++begin) heads.push_back(&snapshot.held[begin]);
      if (heads.front()->tensor != tensor) continue;
      if (plan_.layout.owner(heads.front()->block) == rank_) {
        own.insert(own.end(), heads.begin(), heads.end());
      } else {
        write_blocks(prefix_ + "q" + std::to_string(heads.front()->block) + ".", heads, tensor);
      }
    }
    if (!own.empty()) write_blocks(prefix_, own, tensor);
  }

  void write_states(const Snapshot& snapshot) {
    write_q_side(snapshot, TensorKind::state);
    write_q_side(snapshot, TensorKind::out);
  }

  // `held` runs by block, then head; every block has the same heads.
  void write_blocks(const std::string& prefix, const std::vector<const Held*>& held, TensorKind tensor) {
    std::size_t heads = 0;
    while (heads < held.size() && held[heads]->block == held[0]->block) ++heads;
    if (held.size() % heads != 0) return;
    if (tensor == TensorKind::dq) {
      append(prefix + "dq", held, heads, p_.dim_qk, [&](const Held& h, std::int64_t row, double* to) {
        std::copy_n(h.values.data() + row * p_.dim_qk, p_.dim_qk, to);
        turn_back(Side::q, h.block, row, to);
      });
      return;
    }
    const bool is_state = tensor == TensorKind::state;
    append(prefix + "o", held, heads, p_.dim_v, [&](const Held& h, std::int64_t row, double* to) {
      if (is_state) {
        normalise(h, row, to);
      } else {
        std::copy_n(h.values.data() + row * p_.dim_v, p_.dim_v, to);
      }
    });
    append(prefix + "lse", held, heads, 1, [&](const Held& h, std::int64_t row, double* to) {
      *to = is_state ? lse(h, row) : h.values[static_cast<std::size_t>(rows(Side::q, h.block) * p_.dim_v + row)];
    });
  }

  void write_dkv(const Snapshot& snapshot) {
    for (std::size_t begin = 0; begin < snapshot.held.size();) {
      const Held& first = snapshot.held[begin];
      std::vector<const Held*> heads;
      for (; begin < snapshot.held.size() && snapshot.held[begin].tensor == first.tensor &&
             snapshot.held[begin].block == first.block;
           ++begin) {
        heads.push_back(&snapshot.held[begin]);
      }
      if (first.tensor != TensorKind::dkv) continue;
      const std::string prefix = prefix_ + "b" + std::to_string(first.block) + ".";
      append(prefix + "dk", heads, heads.size(), p_.dim_qk, [&](const Held& h, std::int64_t row, double* to) {
        std::copy_n(h.values.data() + row * p_.dim_qk, p_.dim_qk, to);
        turn_back(Side::kv, h.block, row, to);
      });
      append(prefix + "dv", heads, heads.size(), p_.dim_v, [&](const Held& h, std::int64_t row, double* to) {
        std::copy_n(h.values.data() + rows(Side::kv, h.block) * p_.dim_qk + row * p_.dim_v, p_.dim_v, to);
      });
    }
  }

  // [B, heads, rows of all blocks, dim], or [B, heads, rows] for lse. read(held, row in [B * rows], to).
  template <class Read>
  void append(const std::string& name, const std::vector<const Held*>& held, std::size_t heads, std::int64_t dim,
              const Read& read) {
    const Side side = held[0]->tensor == TensorKind::dkv ? Side::kv : Side::q;
    std::int64_t all = 0;
    for (std::size_t n = 0; n < held.size(); n += heads) all += plan_.layout.rows(side, held[n]->block);
    TensorToWrite t{name, p_.type == ElementType::f64 ? ElementType::f64 : ElementType::f32, {}, {}};
    t.shape = {p_.batch, static_cast<std::int64_t>(heads), all};
    const bool is_lse = name.ends_with(".lse");
    if (!is_lse) t.shape.push_back(dim);
    t.values.resize(static_cast<std::size_t>(p_.batch * static_cast<std::int64_t>(heads) * all * dim));
    double* to = t.values.data();
    for (std::int64_t b = 0; b < p_.batch; ++b) {
      for (std::size_t h = 0; h < heads; ++h) {
        for (std::size_t n = h; n < held.size(); n += heads) {
          const std::int64_t block_rows = plan_.layout.rows(side, held[n]->block);
          for (std::int64_t r = 0; r < block_rows; ++r, to += dim) read(*held[n], b * block_rows + r, to);
        }
      }
    }
    out_.push_back(std::move(t));
  }

  void normalise(const Held& h, std::int64_t row, double* to) const {
    const std::int64_t n = rows(Side::q, h.block);
    const double l = h.values[static_cast<std::size_t>(n + row)];
    const double* O = h.values.data() + 2 * n + row * p_.dim_v;
    for (std::int64_t d = 0; d < p_.dim_v; ++d) to[d] = l == 0 ? 0 : O[d] / l;
  }

  double lse(const Held& h, std::int64_t row) const {
    const double m = h.values[static_cast<std::size_t>(row)];
    const double l = h.values[static_cast<std::size_t>(rows(Side::q, h.block) + row)];
    return l == 0 ? -std::numeric_limits<double>::infinity() : m + std::log(l);
  }

  // Gradients lie in the turned space until they are home.
  void turn_back(Side side, int block, std::int64_t row, double* x) const {
    if (p_.terms.rope_base == 0) return;
    const BlockRows& rows_here = plan_.layout.block(side, block);
    std::int64_t position = rows_here.position(row % rows_here.rows());
    if (side == Side::q) position = p_.mask_rows().key_position(position);
    RopeTable<double>(p_.terms.rope_base, p_.dim_qk, std::span(&position, 1)).turn_back(0, x);
  }

  const Plan& plan_;
  const Problem& p_;
  std::vector<TensorToWrite>& out_;
  std::string prefix_;
  int rank_ = 0;
};

}  // namespace

std::vector<TensorToWrite> step_tensors(const Plan& plan, const RunLog& log) {
  std::vector<TensorToWrite> out;
  StepWriter writer(plan, out);
  for (const Snapshot& snapshot : log.snapshots) writer.write(snapshot);
  return out;
}

}  // namespace ringscope
