#include "tests/catalogue/partials.h"

#include <algorithm>

#include "core/element_type.h"

namespace ringscope {

namespace {

Outputs block_alone(const Exhibit& exhibit, std::int64_t begin, std::int64_t end) {
  return exhibit.with({.entries = [=](const RowAt&, std::vector<Entry>& entries) {
    std::erase_if(entries, [=](const Entry& e) { return e.key < begin || e.key >= end; });
  }});
}

}  // namespace

Outputs merged(const Exhibit& exhibit, const Merging& merging) {
  const Problem& problem = exhibit.c.problem;
  std::vector<Outputs> parts;
  for (std::size_t n = 0; n < merging.begins.size(); ++n) {
    const bool last = n + 1 == merging.begins.size();
    parts.push_back(block_alone(exhibit, merging.begins[n], last ? problem.len_kv : merging.begins[n + 1]));
  }
  Outputs out{.o = Tensor(problem.shape_o()), .lse = Tensor(problem.shape_lse())};
  const auto dim = static_cast<std::size_t>(problem.dim_v);
  for (std::size_t row = 0; row < out.lse.values.size(); ++row) {
    RowPartial here{.o = std::vector<double>(dim)};
    for (std::size_t n = 0; n < parts.size(); ++n) {
      const auto o = parts[n].o.values.begin() + static_cast<std::ptrdiff_t>(row * dim);
      RowPartial from{parts[n].lse.values[row], {o, o + static_cast<std::ptrdiff_t>(dim)}};
      merging.hand_over(from, static_cast<int>(n));
      merging.join(here, from);
    }
    out.lse.values[row] = here.lse;
    std::ranges::transform(here.o, out.o.values.begin() + static_cast<std::ptrdiff_t>(row * dim),
                           [&](double x) { return round_to(output_type(problem.type), x); });
  }
  return out;
}

}  // namespace ringscope
