// Numeric faults of outputs: right rows that come home to the wrong place.
#include "core/faults/places.h"

namespace ringscope {

namespace {

std::vector<std::int64_t> rows_of_rank(const Layout& layout, Side side, int rank) {
  std::vector<std::int64_t> out;
  for (int b = rank * layout.blocks_per_rank; b < (rank + 1) * layout.blocks_per_rank; ++b) {
    for (const std::int64_t p : layout.block(side, b).positions()) out.push_back(p);
  }
  return out;
}

// The rows of `to` become those of `from`; rows that `from` does not have become 0.
void take_rows(Tensor& tensor, const Tensor& right, const std::vector<std::int64_t>& to,
               const std::vector<std::int64_t>& from) {
  for (std::int64_t b = 0; b < tensor.shape.batch; ++b) {
    for (std::int64_t h = 0; h < tensor.shape.heads; ++h) {
      for (std::size_t n = 0; n < to.size(); ++n) {
        double* row = tensor.row(b, h, to[n]);
        std::fill_n(row, tensor.shape.dim, 0.0);
        if (n < from.size()) std::copy_n(right.row(b, h, from[n]), tensor.shape.dim, row);
      }
    }
  }
}

bool happens_on(int rank, int r) {
  return rank < 0 || rank == r;
}

// The last hop is not made: rank r takes for its own what would have gone on to rank r + 1.
void stop_one_hop_short(const Plan& plan, int rank, Outputs& outputs) {
  const Outputs right = outputs;
  const int n = plan.layout.ranks;
  for (int r = 0; r < n; ++r) {
    if (!happens_on(rank, r)) continue;
    const auto to = rows_of_rank(plan.layout, Side::kv, r), from = rows_of_rank(plan.layout, Side::kv, (r + 1) % n);
    take_rows(outputs.dk, right.dk, to, from);
    take_rows(outputs.dv, right.dv, to, from);
  }
}

bool moves_gradients_home(const Plan& plan, int rank) {
  for (const Move& m : plan.schedule.moves) {
    const bool dkv = m.tensor == TensorKind::dkv && m.to != nobody && m.to != m.from && plan.rows(m.slice()) > 0;
    if (dkv) return !rows_of_rank(plan.layout, Side::kv, rank).empty();
  }
  return false;
}

}  // namespace

std::vector<FaultKind> output_faults() {
  FaultKind short_hop{"dkv-one-hop-short", "dK and dV stop one hop short of home, and are taken for the next rank's",
                      FaultFamily::numeric};
  short_hop.spread = FaultSpread::everywhere;
  short_hop.sites = homes_where(moves_gradients_home);
  short_hop.mishap = [](const Plan&) {
    Mishap mishap;
    mishap.came_home = stop_one_hop_short;
    return mishap;
  };
  return {short_hop};
}

}  // namespace ringscope
