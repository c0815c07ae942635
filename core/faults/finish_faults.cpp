// Numeric faults of Finish: from State to O and LSE.
#include "core/faults/places.h"

namespace ringscope {

std::vector<FaultKind> finish_faults() {
  return {};
}

}  // namespace ringscope
