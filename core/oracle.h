// The reference: fp64, plain loops, no blocks, no ranks; and the same computation on absolute values.
#pragma once
#include "core/data.h"
#include "core/problem.h"
#include "core/watch.h"

namespace ringscope {

// Real is double; tests also use long double to judge the oracle itself. Gradients when the problem has a backward.
template <class Real>
Outputs oracle(const Problem& problem, const Inputs& inputs, const TellDone& tell = {});

extern template Outputs oracle<double>(const Problem&, const Inputs&, const TellDone&);
extern template Outputs oracle<long double>(const Problem&, const Inputs&, const TellDone&);

// C of the numerics contract: the oracle's sums with every term replaced by its absolute value, per output element.
// The f64 path must stay within 1e-13 C (docs/numerics.md).
Outputs magnitudes(const Problem& problem, const Inputs& inputs, const TellDone& tell = {});

// What a right kernel of the problem's type reaches: two passes, dense, fp32 sums (fp64 for f64), outputs rounded once.
enum class Weights { kept, rounded_to_16_bit };  // does the kernel round P and dS to the 16-bit storage type?
Outputs baseline(const Problem& problem, const Inputs& inputs, Weights weights, const TellDone& tell = {});

}  // namespace ringscope
