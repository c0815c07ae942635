#include "formats/export.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/numbers.h"
#include "core/score_terms.h"
#include "formats/dump_words.h"

namespace ringscope {

namespace {

using Rows = std::vector<std::int64_t>;

ElementType accumulator_type(const Problem& p) {
  return p.type == ElementType::f64 ? ElementType::f64 : ElementType::f32;
}

Rows all_rows(std::int64_t len) {
  Rows rows(static_cast<std::size_t>(len));
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = static_cast<std::int64_t>(r);
  return rows;
}

Rows rows_of_rank(const Layout& layout, Side side, int rank) {
  Rows rows;
  for (int b = rank * layout.blocks_per_rank; b < (rank + 1) * layout.blocks_per_rank; ++b) {
    const auto block = layout.block(side, b).positions();
    rows.insert(rows.end(), block.begin(), block.end());
  }
  return rows;
}

class Collector {
 public:
  Collector(const Problem& problem, Rows q_rows, Rows kv_rows)
      : problem_(problem), q_rows_(std::move(q_rows)), kv_rows_(std::move(kv_rows)) {}

  void add(const char* name, ElementType type, const Tensor& tensor, Side side) {
    if (tensor.empty()) return;
    const Rows& rows = side == Side::q ? q_rows_ : kv_rows_;
    TensorToWrite out{name, type, {tensor.shape.batch, tensor.shape.heads, static_cast<std::int64_t>(rows.size())}, {}};
    if (std::string_view(name) != "lse") out.shape.push_back(tensor.shape.dim);
    for (std::int64_t b = 0; b < tensor.shape.batch; ++b) {
      for (std::int64_t h = 0; h < tensor.shape.heads; ++h) {
        for (const std::int64_t r : rows) {
          out.values.insert(out.values.end(), tensor.row(b, h, r), tensor.row(b, h, r) + tensor.shape.dim);
        }
      }
    }
    tensors_.push_back(std::move(out));
  }
  void add(const char* name, const std::vector<double>& per_head) {
    if (per_head.empty()) return;
    tensors_.push_back({name, ElementType::f64, {static_cast<std::int64_t>(per_head.size())}, per_head});
  }

  std::vector<TensorToWrite> collect(const Inputs& inputs, const Outputs& outputs) {
    const ElementType in = problem_.type, out = output_type(in);
    add("q", in, inputs.q, Side::q);
    add("k", in, inputs.k, Side::kv);
    add("v", in, inputs.v, Side::kv);
    add("do", out, inputs.d_o, Side::q);
    add("sinks", inputs.sink_logit);
    if (problem_.terms.alibi) add("alibi", slopes());
    add("o", out, outputs.o, Side::q);
    add("lse", accumulator_type(problem_), outputs.lse, Side::q);
    add("dq", out, outputs.dq, Side::q);
    add("dk", out, outputs.dk, Side::kv);
    add("dv", out, outputs.dv, Side::kv);
    return std::move(tensors_);
  }

 private:
  std::vector<double> slopes() const {
    std::vector<double> out;
    for (std::int64_t h = 0; h < problem_.heads_q; ++h) out.push_back(alibi_slope(problem_, h));
    return out;
  }

  const Problem& problem_;
  Rows q_rows_, kv_rows_;
  std::vector<TensorToWrite> tensors_;
};

// Whether every rank's rows are those of a layout of this kind, in the same local order.
bool has_rows_of(const LayoutKind& kind, const Problem& problem, const Layout& layout) {
  try {
    const Layout other = make_layout({.name = std::string(kind.name)}, problem, layout.ranks, 1);
    for (const Side side : {Side::q, Side::kv}) {
      for (int rank = 0; rank < layout.ranks; ++rank) {
        if (rows_of_rank(layout, side, rank) != rows_of_rank(other, side, rank)) return false;
      }
    }
    return true;
  } catch (const Error&) {  // it needs more than a name
    return false;
  }
}

}  // namespace

std::map<std::string, std::string> export_metadata(const Case& c) {
  const Problem& p = c.problem;
  std::map<std::string, std::string> out{{"case", to_line(c)}, {"source", "ringscope export"},
                                         {"axes", "BHSD"},     {"lse_axes", "BHS"},
                                         {"lse_base", "e"},    {"scale", text_of(p.scale())}};
  if (auto words = mask_words_of(p.mask, p.len_q, p.len_kv)) out["mask"] = std::move(*words);
  if (p.terms.softcap > 0) out["softcap"] = text_of(p.terms.softcap);
  for (const std::int64_t n : p.mask.kv_lens) {
    std::string& lengths = out["kv_lengths"];
    lengths += (lengths.empty() ? "" : " ") + std::to_string(n);
  }
  return out;
}

std::map<std::string, std::string> shard_metadata(const Case& c, const Layout& layout, int rank) {
  std::map<std::string, std::string> out = export_metadata(c);
  out["rank"] = std::to_string(rank), out["ranks"] = std::to_string(layout.ranks);
  for (const LayoutKind& kind : layout_kinds()) {
    if (has_rows_of(kind, c.problem, layout)) out["layout"] = std::string(kind.name) + " " + out["ranks"];
  }
  return out;
}

std::vector<TensorToWrite> whole_tensors(const Problem& problem, const Inputs& inputs, const Outputs& outputs) {
  return Collector(problem, all_rows(problem.len_q), all_rows(problem.len_kv)).collect(inputs, outputs);
}

std::vector<TensorToWrite> shard_tensors(const Plan& plan, int rank, const Inputs& inputs, const Outputs& outputs) {
  return Collector(plan.problem, rows_of_rank(plan.layout, Side::q, rank), rows_of_rank(plan.layout, Side::kv, rank))
      .collect(inputs, outputs);
}

}  // namespace ringscope
