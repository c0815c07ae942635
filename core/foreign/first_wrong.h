// Where somebody else's output first goes wrong, and on which rank, as far as the layout says.
#pragma once
#include <optional>

#include "core/foreign/foreign_judge.h"
#include "core/layout.h"

namespace ringscope {

struct FirstWrong {
  Output output = Output::o;
  WrongRows rows;
  int rank = -1;                // who holds the row; -1: no layout
  std::int64_t local_row = -1;  // in the rank's own order
  int kv_block = -1;            // the rank whose keys the row lacks or has twice, when it is one
};

// Of the first wrong output in the order o, lse, dq, dk, dv.
std::optional<FirstWrong> find_first_wrong(const Foreign& foreign, const Judged& judged,
                                           const std::optional<Layout>& layout);

}  // namespace ringscope
