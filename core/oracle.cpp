#include "core/oracle.h"

#include "core/dense_attention.h"

namespace ringscope {

namespace {

struct NoRounding {
  template <class Real>
  Real weight(Real x) const {
    return x;
  }
  template <class Real>
  Real output(Real x) const {
    return x;
  }
};

}  // namespace

template <class Real>
Outputs oracle(const Problem& problem, const Inputs& inputs) {
  return DenseAttention<Real, NoRounding>(problem, inputs, {}).run();
}

template Outputs oracle<double>(const Problem&, const Inputs&);
template Outputs oracle<long double>(const Problem&, const Inputs&);

}  // namespace ringscope
