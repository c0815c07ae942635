// What goes into an attention and what comes out: global tensors in natural order.
#pragma once
#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace ringscope {

struct Inputs {
  Tensor q;                         // [B, Hq, Sq, Dqk]
  Tensor k;                         // [B, Hkv, Skv, Dqk]
  Tensor v;                         // [B, Hkv, Skv, Dv]
  Tensor d_o;                       // [B, Hq, Sq, Dv]; empty when only forward
  std::vector<double> sink_logit;   // [Hq]; empty without the term
  std::uint64_t dropout_seed = 0;   // the Philox key
  std::vector<double> alibi_slope;  // [Hq]; foreign slopes instead of 2^(-8 (h+1) / Hq), for the oracle alone
};

struct Outputs {
  Tensor o;                    // [B, Hq, Sq, Dv]
  Tensor lse;                  // [B, Hq, Sq, 1] natural logarithm; -inf where a row sees no key
  Tensor dq;                   // [B, Hq, Sq, Dqk]; the gradients are empty when only forward
  Tensor dk;                   // [B, Hkv, Skv, Dqk]
  Tensor dv;                   // [B, Hkv, Skv, Dv]
  std::vector<double> d_sink;  // [Hq]; empty without the term or the backward
};

}  // namespace ringscope
