#include "backends/cpu/plugin_kernel.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backends/cpu/call_rows.h"

namespace ringscope::cpu {

namespace {

// One call of the plug-in: a block of queries meets a block of keys, of one batch item and one query head.
template <class Real>
struct Meeting {
  const AttendCall<Real>& call;
  std::int64_t batch = 0, head = 0;  // head: in the call
  const QueryRows<Real>& queries;
  const KeyRows<Real>& keys;
};

// The block's local keys that each of its rows sees.
struct BlockSpans {
  std::vector<std::int64_t> first_span{0};  // [rows + 1]
  std::vector<RingscopeSpan> spans;
};

template <class Real>
BlockSpans block_spans(const Meeting<Real>& at) {
  BlockSpans out;
  for (std::int64_t r = 0; r < at.queries.rows; ++r) {
    for (const LocalSpan& span : at.call.view.spans(at.batch, at.queries.first + r)) {
      const auto begin = static_cast<std::int32_t>(std::max<std::int64_t>(span.begin - at.keys.first, 0));
      const auto end = static_cast<std::int32_t>(std::min<std::int64_t>(span.end - at.keys.first, at.keys.rows));
      if (begin < end) out.spans.push_back({begin, end});
    }
    out.first_span.push_back(static_cast<std::int64_t>(out.spans.size()));
  }
  return out;
}

template <class Real>
std::vector<Real> kept_weights(const Meeting<Real>& at, const BlockSpans& seen) {
  if (at.call.problem.terms.dropout == 0) return {};
  std::vector<Real> keep(static_cast<std::size_t>(at.queries.rows * at.keys.rows));
  for (std::int64_t r = 0; r < at.queries.rows; ++r) {
    DropoutRow<Real> row(at.call, at.batch, at.head, at.queries.first + r);
    const auto first = static_cast<std::size_t>(seen.first_span[static_cast<std::size_t>(r)]);
    const auto last = static_cast<std::size_t>(seen.first_span[static_cast<std::size_t>(r) + 1]);
    for (std::size_t s = first; s < last; ++s) {
      for (std::int64_t key = seen.spans[s].begin; key < seen.spans[s].end; ++key) {
        keep[static_cast<std::size_t>(r * at.keys.rows + key)] = row.kept(at.keys.first + key);
      }
    }
  }
  return keep;
}

// A request with the elements it speaks of.
class Parcel {
 public:
  BlockRequest request;
  Arguments arguments;

  // [rows, width]; nothing at all when `data` is null.
  template <class T>
  void add(Argument argument, T* data, std::int64_t rows, std::int64_t width) {
    if (data == nullptr) return;
    request.of(argument) = {rows, width * static_cast<std::int64_t>(sizeof(T))};
    const std::span<T> elements(data, static_cast<std::size_t>(rows * width));
    Elements& mine = arguments[static_cast<std::size_t>(argument)];
    mine.given = std::as_bytes(elements);
    if constexpr (!std::is_const_v<T>) mine.taken = std::as_writable_bytes(elements);
  }
};

template <class Real>
RingscopeBlock block_of(const Meeting<Real>& at, const KernelOptions& options) {
  const Problem& p = at.call.problem;
  RingscopeBlock block{};
  block.bytes_per_real = sizeof(Real);
  block.threads = options.threads;
  block.tile = options.tile;
  block.batch = static_cast<std::int32_t>(at.batch);
  block.head = static_cast<std::int32_t>(at.call.q_heads.begin + at.head);
  block.rows = at.queries.rows;
  block.keys = at.keys.rows;
  block.dim_qk = p.dim_qk;
  block.dim_v = p.dim_v;
  block.scale = p.scale();
  block.softcap = p.terms.softcap;
  block.alibi_slope = alibi_slope(p, block.head);
  return block;
}

// Where a row of an output has no number that can be; empty: all well.
template <class Real>
std::string nonsense(const Real* values, std::int64_t rows, std::int64_t width, const char* name, bool is_m) {
  for (std::int64_t n = 0; n < rows * width; ++n) {
    if (std::isfinite(values[n]) || (is_m && values[n] == no_score<Real>)) continue;
    return std::string(std::isnan(values[n]) ? "NaN" : "infinity") + " in " + name + ", row " +
           std::to_string(n / width) + " of the block";
  }
  return {};
}

template <class Real>
class PluginKernel final : public Kernel<Real> {
 public:
  PluginKernel(std::shared_ptr<PluginLine> line, const KernelOptions& options)
      : line_(std::move(line)), options_(options) {}

  void forward(const AttendCall<Real>& call, RowEvents*) const override { meet_all(call, Pass::forward); }
  void backward(const AttendCall<Real>& call) const override { meet_all(call, Pass::backward); }

 private:
  void meet_all(const AttendCall<Real>& call, Pass pass) const {
    for (std::int64_t batch = 0; batch < call.problem.batch; ++batch) {
      for (std::int64_t head = 0; head < call.q_heads.count(); ++head) {
        const auto keys = key_rows(call, batch, kv_head_of(call, head));
        for (const QueryRows<Real>& queries : query_rows(call, batch, head)) {
          for (const KeyRows<Real>& block : keys) meet({call, batch, head, queries, block}, pass);
        }
      }
    }
  }

  void meet(const Meeting<Real>& at, Pass pass) const {
    const BlockSpans seen = block_spans(at);
    if (seen.spans.empty()) return;
    const AttendView& view = at.call.view;
    const std::int64_t rows = at.queries.rows, keys = at.keys.rows;
    const std::int64_t dim_qk = at.call.problem.dim_qk, dim_v = at.call.problem.dim_v;
    std::vector<std::int64_t> q_position;
    for (std::int64_t r = 0; r < rows; ++r) q_position.push_back(view.key_position(at.queries.first + r));
    const std::vector<Real> keep = kept_weights(at, seen);

    Parcel parcel;
    parcel.request.pass = pass;
    parcel.request.block = block_of(at, options_);
    parcel.add(Argument::q_position, std::as_const(q_position).data(), 1, rows);
    parcel.add(Argument::k_position, view.kv_positions().data() + at.keys.first, 1, keys);
    parcel.add(Argument::first_span, seen.first_span.data(), 1, rows + 1);
    parcel.add(Argument::spans, seen.spans.data(), 1, static_cast<std::int64_t>(seen.spans.size()));
    if (!keep.empty()) parcel.add(Argument::keep, keep.data(), rows, keys);
    parcel.add(Argument::q, at.queries.q, rows, dim_qk);
    parcel.add(Argument::k, at.keys.k, keys, dim_qk);
    parcel.add(Argument::v, at.keys.v, keys, dim_v);
    parcel.add(Argument::m, at.queries.m, 1, rows);
    parcel.add(Argument::l, at.queries.l, 1, rows);
    parcel.add(Argument::o, at.queries.o, rows, dim_v);
    parcel.add(Argument::d_o, at.queries.d_o, rows, dim_v);
    parcel.add(Argument::lse, at.queries.lse, 1, rows);
    parcel.add(Argument::delta, at.queries.delta, 1, rows);
    parcel.add(Argument::dq, at.queries.dq, rows, dim_qk);
    parcel.add(Argument::dk, at.keys.dk, keys, dim_qk);
    parcel.add(Argument::dv, at.keys.dv, keys, dim_v);
    call_plugin(at, pass, parcel);
  }

  void call_plugin(const Meeting<Real>& at, Pass pass, const Parcel& parcel) const {
    const std::lock_guard lock(line_->mutex);
    if (line_->first_error) throw RankError(*line_->first_error);
    auto complaint = line_->worker->call(parcel.request, parcel.arguments, line_->deadline_seconds);
    if (!complaint) complaint = nonsense_of(at, pass);
    if (!complaint) return;
    const std::string in = pass == Pass::forward ? "ringscope_forward" : "ringscope_backward";
    line_->first_error.emplace(
        ErrorKind::broken_kernel, at.call.rank, at.call.step, at.call.kv_slice,
        "the plug-in `" + line_->worker->name() + "` " + *complaint + " in " + in + ", batch " +
            std::to_string(at.batch) + ", head " + std::to_string(at.call.q_heads.begin + at.head),
        "a kernel that keeps to backends/cpu/plugin_api.h", "docs/plugin.md says how to run it under a debugger");
    throw RankError(*line_->first_error);
  }

  static std::optional<std::string> nonsense_of(const Meeting<Real>& at, Pass pass) {
    const std::int64_t rows = at.queries.rows, keys = at.keys.rows;
    const std::int64_t dim_qk = at.call.problem.dim_qk, dim_v = at.call.problem.dim_v;
    const std::string found =
        pass == Pass::forward
            ? first_of({nonsense(at.queries.m, 1, rows, "m", true), nonsense(at.queries.l, 1, rows, "l", false),
                        nonsense(at.queries.o, rows, dim_v, "o", false)})
            : first_of({nonsense(at.queries.dq, rows, dim_qk, "dq", false),
                        nonsense(at.keys.dk, keys, dim_qk, "dk", false),
                        nonsense(at.keys.dv, keys, dim_v, "dv", false)});
    if (found.empty()) return std::nullopt;
    return "gave " + found;
  }

  static std::string first_of(std::initializer_list<std::string> texts) {
    for (const std::string& text : texts) {
      if (!text.empty()) return text;
    }
    return {};
  }

  std::shared_ptr<PluginLine> line_;
  KernelOptions options_;
};

}  // namespace

template <class Real>
std::unique_ptr<Kernel<Real>> make_plugin_kernel(std::shared_ptr<PluginLine> line, const KernelOptions& options) {
  return std::make_unique<PluginKernel<Real>>(std::move(line), options);
}

template std::unique_ptr<Kernel<float>> make_plugin_kernel(std::shared_ptr<PluginLine>, const KernelOptions&);
template std::unique_ptr<Kernel<double>> make_plugin_kernel(std::shared_ptr<PluginLine>, const KernelOptions&);

}  // namespace ringscope::cpu
