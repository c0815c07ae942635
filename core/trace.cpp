#include "core/trace.h"

namespace ringscope {

std::string_view name_of(Lane lane) {
  constexpr std::string_view names[] = {"compute", "send", "receive", "wait"};
  return names[static_cast<int>(lane)];
}

}  // namespace ringscope
