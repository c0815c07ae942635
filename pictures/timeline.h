// What happened when: a lane each for compute, sends, receives and waits of every rank.
#pragma once
#include <string>
#include <vector>

#include "core/layout.h"
#include "core/trace.h"
#include "pictures/picture.h"
#include "pictures/sheet.h"

namespace ringscope {

struct TimelineBar {
  int rank = 0;
  Lane lane = Lane::compute;
  double begin_seconds = 0, end_seconds = 0;
  int tint = -1;  // the home of the blocks; -1: several, or none
  std::string name, tooltip;
};

struct Timeline {
  int ranks = 0;
  bool measured = true;
  double seconds = 0;
  std::vector<TimelineBar> bars;  // in the trace's order
};

Timeline make_timeline(const Trace& trace, const Layout& layout);
Picture draw(const Timeline& timeline);
Sheet write(const Timeline& timeline);

}  // namespace ringscope
