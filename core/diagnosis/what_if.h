// Attention with one mistake in it, recomputed in fp64: what a diagnosis compares the given outputs with.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/data.h"
#include "core/problem.h"

namespace ringscope {

struct RowAt {
  std::int64_t batch = 0, head = 0, query = 0;
};

// One key that a row takes in.
struct Entry {
  std::int64_t key = 0;
  double times = 1;    // in the forward: 2 for a key that is merged twice
  int part = 0;        // which tile or ring block brought it; parts come in this order
  bool booked = true;  // its gradient reaches dK and dV
  bool walked = true;  // the backward visits it at all
  double score = std::numeric_limits<double>::quiet_NaN();  // instead of the computed one, unless NaN
};

enum class Joining : std::uint8_t {
  softmax,     // right
  no_rescale,  // l and O are not rescaled when m grows
  added,       // each part's l and O, of its own m, are added as they are
  average,     // the parts' outputs are averaged
  sum,         // the parts' outputs are added
};

enum class DeltaFrom : std::uint8_t { whole_row, own_part, nothing };
enum class WeightsFrom : std::uint8_t { whole_row, own_part };

// Each member is what is right until it is set.
struct Mistake {
  std::function<void(const RowAt&, std::vector<Entry>&)> entries;  // changes the list of the right mask
  std::function<std::int64_t(std::int64_t head)> kv_head;          // which KV head a query head reads
  std::function<std::int64_t(const RowAt&)> query_row;             // which Q row stands for this one
  std::function<double(double weight)> weight;                     // what becomes of exp(s - m) before it meets V
  std::function<double(double product)> product;                   // what becomes of q.k
  std::function<void(std::span<double> O, double l)> after_part;   // what becomes of the running O
  std::optional<double> scale;
  bool softcap_missing = false, alibi_missing = false, sink_missing = false;
  Joining joining = Joining::softmax;
  DeltaFrom delta = DeltaFrom::whole_row;
  WeightsFrom weights = WeightsFrom::whole_row;
};

// All outputs of the problem's direction.
Outputs what_if(const Problem& problem, const Inputs& inputs, const Mistake& mistake);

}  // namespace ringscope
