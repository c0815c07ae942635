// The outputs by name.
#pragma once
#include <utility>

#include "core/data.h"
#include "core/error.h"
#include "core/report.h"

namespace ringscope {

inline const Tensor& tensor_of(const Outputs& outputs, Output output) {
  switch (output) {
    case Output::o:
      return outputs.o;
    case Output::lse:
      return outputs.lse;
    case Output::dq:
      return outputs.dq;
    case Output::dk:
      return outputs.dk;
    case Output::dv:
      return outputs.dv;
  }
  ensure(false, "a known output");
  return outputs.o;
}

inline Tensor& tensor_of(Outputs& outputs, Output output) {
  return const_cast<Tensor&>(tensor_of(std::as_const(outputs), output));
}

}  // namespace ringscope
