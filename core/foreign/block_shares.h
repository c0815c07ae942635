// Which rank's share is missing or counted twice in the rows of which rank? From given outputs alone: no steps are
// needed.
#pragma once
#include <vector>

#include "core/foreign/evidence.h"

namespace ringscope {

struct BlockShares {
  Output output = Output::o;  // o stands for o and lse together
  int ranks = 0;
  // [owner of the row * ranks + rank whose share it is]: 1 right, 0 missing, 2 twice; NaN: it has no share. Rows are
  // queries and shares come from keys; for dk and dv rows are keys and shares come from queries.
  std::vector<double> taken;
  // [owner of the row]: the part of its error (squares) that whole shares explain; NaN: no error there.
  std::vector<double> explained;
};

// By least squares over all rows of a rank. dq, dk and dv are sums over ranks; so are o and lse once they are weighed:
// sum_b t_b w_b (o_b, 1) = exp(lse' - lse) (o', 1), with w_b the weight of block b and t_b how often it was taken.
// Of the outputs that are wrong; none without a layout.
std::vector<BlockShares> block_shares(const Evidence& evidence);

}  // namespace ringscope
