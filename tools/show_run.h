// The subjects of `ringscope show` that need numbers: a pair's weight, a run's timeline, its errors.
#pragma once
#include "tools/show_subjects.h"

namespace ringscope {

Shown show_pair(const ShowRequest& request);
Shown show_timeline(const ShowRequest& request);
Shown show_error(const ShowRequest& request);

}  // namespace ringscope
