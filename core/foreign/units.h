// Independent pieces of work dealt to threads.
#pragma once
#include <cstdint>
#include <functional>

namespace ringscope {

// The machine's cores.
int all_threads();

// work(unit) for every unit below `units`, at most `threads` at a time, in ascending order of start; `meanwhile` is
// called from the caller's thread about five times a second until all are done. The first exception is thrown again
// after the others have ended.
void for_each_unit(std::int64_t units, int threads, const std::function<void(std::int64_t unit)>& work,
                   const std::function<void()>& meanwhile = {});

}  // namespace ringscope
