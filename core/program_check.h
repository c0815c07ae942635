// Whether the programs of the ranks fit together: what each rank posts, step by step, is what its peers expect.
#pragma once
#include <span>

#include "core/schedule.h"
#include "core/violation_log.h"

namespace ringscope {

// Rules match and wait_cycle. A rank posts the sends and receives of one step together and goes on when all of them
// have passed, the strictest a backend may be; a message passes when both ends have posted it (rendezvous) and those
// before it on its link have passed.
void check_programs(const Schedule& schedule, std::span<const RankProgram> programs, ViolationLog& log);

}  // namespace ringscope
