#include "core/dense_attention.h"
#include "core/oracle.h"

namespace ringscope {

namespace {

struct StoredRounding {
  ElementType output_type_;
  std::optional<ElementType> weight_type;

  template <class Real>
  Real weight(Real x) const {
    return weight_type ? static_cast<Real>(round_to(*weight_type, static_cast<double>(x))) : x;
  }
  template <class Real>
  Real output(Real x) const {
    return static_cast<Real>(round_to(output_type_, static_cast<double>(x)));
  }
};

bool is_16_bit(ElementType type) {
  return bytes_of(type) == 2;
}

}  // namespace

Outputs baseline(const Problem& problem, const Inputs& inputs, Weights weights, const TellDone& tell) {
  StoredRounding rounding{output_type(problem.type), std::nullopt};
  if (weights == Weights::rounded_to_16_bit && is_16_bit(rounding.output_type_)) {
    rounding.weight_type = rounding.output_type_;
  }
  if (problem.type == ElementType::f64) {
    return DenseAttention<double, StoredRounding>(problem, inputs, rounding).run(tell);
  }
  return DenseAttention<float, StoredRounding>(problem, inputs, rounding).run(tell);
}

}  // namespace ringscope
