#include "core/first_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/partial_rows.h"
#include "core/parts_held.h"
#include "core/tensor_of.h"

namespace ringscope {

namespace {

TensorKind accumulator_of(Output output) {
  if (output == Output::o || output == Output::lse) return TensorKind::state;
  return output == Output::dq ? TensorKind::dq : TensorKind::dkv;
}

// The largest difference of two rows; infinite where one is a number and the other is not.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const bool alike = a[d] == b[d] || (std::isnan(a[d]) && std::isnan(b[d]));
    if (alike) continue;
    const double difference = std::abs(a[d] - b[d]);
    most = std::max(most, std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity());
  }
  return most;
}

struct LocalRow {
  int block = -1;
  std::int64_t row = -1, rows = 0;
};

LocalRow find_row(const Layout& layout, Side side, std::int64_t position) {
  for (int b = 0; b < layout.blocks(); ++b) {
    const auto positions = layout.block(side, b).positions();
    const auto found = std::find(positions.begin(), positions.end(), position);
    if (found != positions.end()) return {b, found - positions.begin(), static_cast<std::int64_t>(positions.size())};
  }
  ensure(false, "every position has an owner");
  return {};
}

class Search {
 public:
  Search(const Plan& clean, const Inputs& inputs, const Outputs& oracle, const RunResult& run, const Place& failing)
      : clean_(clean),
        run_(run),
        failing_(failing),
        output_(*failing.output),
        atom_{accumulator_of(output_), 0, static_cast<int>(failing.head)},
        local_(find_row(clean.layout, side_of(atom_.tensor), failing.row)),
        oracle_rows_(clean, inputs, oracle) {
    atom_.block = local_.block;
    // Rounding on the way is smaller than what made the whole fail: a quarter of that tells them apart.
    enough_ = std::min(distance(row_of(run.outputs), row_of(oracle)) / 4, std::numeric_limits<double>::max());
  }

  std::optional<Difference> run() {
    const auto held = parts_held(clean_, atom_);
    std::vector<const Snapshot*> in_time;
    for (const Snapshot& s : run_.log.snapshots) in_time.push_back(&s);
    std::stable_sort(in_time.begin(), in_time.end(),
                     [](const Snapshot* a, const Snapshot* b) { return a->step < b->step; });
    for (const Snapshot* s : in_time) {
      const Parts& parts = held[static_cast<std::size_t>(s->step)][static_cast<std::size_t>(s->rank)];
      if (const auto difference = compare(*s, parts)) return difference;
    }
    return std::nullopt;
  }

 private:
  std::vector<double> row_of(const Outputs& outputs) const {
    const Tensor& tensor = tensor_of(outputs, output_);
    const double* row = tensor.row(failing_.batch, failing_.head, failing_.row);
    return {row, row + tensor.shape.dim};
  }

  std::vector<double> wanted(std::span<const Part> parts) {
    return oracle_rows_.values(output_, failing_.batch, failing_.head, failing_.row, parts);
  }

  // The failing row of what a rank holds, in the form of PartialRows::values.
  std::vector<double> got(const Held& held) const {
    const Problem& p = clean_.problem;
    const std::int64_t all = p.batch * local_.rows, r = failing_.batch * local_.rows + local_.row;
    const auto row_at = [&](std::int64_t begin, std::int64_t dim) {
      const auto first = held.values.begin() + begin + r * dim;
      return std::vector<double>(first, first + dim);
    };
    if (output_ == Output::dq || output_ == Output::dk) return row_at(0, p.dim_qk);
    if (output_ == Output::dv) return row_at(all * p.dim_qk, p.dim_v);
    const double m = row_at(0, 1)[0], l = row_at(all, 1)[0];
    if (output_ == Output::lse) return {l == 0 ? -std::numeric_limits<double>::infinity() : m + std::log(l)};
    std::vector<double> o = row_at(2 * all, p.dim_v);
    for (double& x : o) x = l == 0 ? 0 : x / l;
    return o;
  }

  const Held* find(const Snapshot& snapshot) const {
    const auto found = std::find_if(snapshot.held.begin(), snapshot.held.end(), [&](const Held& h) {
      return h.tensor == atom_.tensor && h.block == atom_.block && h.head == atom_.head;
    });
    return found == snapshot.held.end() ? nullptr : &*found;
  }

  std::optional<Difference> compare(const Snapshot& snapshot, const Parts& parts) {
    const Held* held = find(snapshot);
    const std::vector<Part> want_parts = parts.value_or(std::vector<Part>{});
    const std::vector<double> want = wanted(want_parts);
    const std::vector<double> have = held != nullptr ? got(*held) : wanted({});
    if (!(distance(have, want) > enough_)) return std::nullopt;
    Difference difference{snapshot.rank, snapshot.step, last_kv_block(snapshot, want_parts), {}};
    difference.sentence = "rank " + std::to_string(snapshot.rank) + " differs first at step " +
                          std::to_string(snapshot.step) + ": its " + std::string(name_of(atom_.tensor)) +
                          explain(have, want_parts, difference.kv_block);
    return difference;
  }

  // The KV block that this rank's attends of the step brought in, else the last one that the accumulator took.
  int last_kv_block(const Snapshot& snapshot, const std::vector<Part>& parts) const {
    if (atom_.tensor == TensorKind::dkv) return atom_.block;
    for (const Attend& a : clean_.schedule.attends_of(snapshot.step)) {
      const bool ours = a.rank == snapshot.rank && a.q_heads.begin <= atom_.head && atom_.head < a.q_heads.end;
      for (std::int32_t i = 0; ours && i < a.q.count; ++i) {
        if (a.q.at(i) == atom_.block) return a.kv.at(a.kv.count - 1);
      }
    }
    return parts.empty() ? -1 : parts.back().kv_block;
  }

  // Which single part, left out or taken twice, gives what was found?
  std::string explain(const std::vector<double>& have, const std::vector<Part>& parts, int& kv_block) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::vector<Part> without = parts, twice = parts;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      twice.push_back(parts[i]);
      const bool lacks = distance(have, wanted(without)) <= enough_;
      if (!lacks && !(distance(have, wanted(twice)) <= enough_)) continue;
      kv_block = parts[i].kv_block;
      const std::string part =
          "Q b" + std::to_string(parts[i].q_block) + " with KV b" + std::to_string(parts[i].kv_block);
      return lacks ? " lacks what " + part + " adds" : " has what " + part + " adds twice";
    }
    return " is not what the oracle has there";
  }

  const Plan& clean_;
  const RunResult& run_;
  const Place& failing_;
  Output output_;
  Accumulator atom_;
  LocalRow local_;
  PartialRows oracle_rows_;
  double enough_ = 0;
};

}  // namespace

std::optional<Difference> first_difference(const Plan& clean, const Inputs& inputs, const Outputs& oracle,
                                           const RunResult& run, const Place& failing) {
  if (!failing.output || failing.batch < 0 || failing.head < 0 || failing.row < 0) return std::nullopt;
  return Search(clean, inputs, oracle, run, failing).run();
}

}  // namespace ringscope
