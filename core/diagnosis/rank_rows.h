// Who owned each global row, and which of the owner's rows it was.
#pragma once
#include <cstdint>
#include <vector>

#include "core/layout.h"
#include "core/problem.h"

namespace ringscope {

struct RankRow {
  int rank = -1;
  std::int64_t row = -1;  // local, in the rank's own order
};

class RankRows {
 public:
  RankRows(const Layout& layout, const Problem& problem)
      : ranks_(layout.ranks), q_(rows(layout, Side::q, problem.len_q)), kv_(rows(layout, Side::kv, problem.len_kv)) {}

  int ranks() const { return ranks_; }
  const RankRow& of_query(std::int64_t i) const { return q_[static_cast<std::size_t>(i)]; }
  const RankRow& of_key(std::int64_t j) const { return kv_[static_cast<std::size_t>(j)]; }

 private:
  static std::vector<RankRow> rows(const Layout& layout, Side side, std::int64_t len) {
    std::vector<RankRow> out(static_cast<std::size_t>(len));
    for (int rank = 0; rank < layout.ranks; ++rank) {
      std::int64_t local = 0;
      for (int b = rank * layout.blocks_per_rank; b < (rank + 1) * layout.blocks_per_rank; ++b) {
        for (const std::int64_t p : layout.block(side, b).positions())
          out[static_cast<std::size_t>(p)] = {rank, local++};
      }
    }
    return out;
  }

  int ranks_;
  std::vector<RankRow> q_, kv_;
};

}  // namespace ringscope
