// Where in a plan a numeric fault would change numbers: what the families' `sites` are made of.
#pragma once
#include <functional>
#include <vector>

#include "core/attend_view.h"
#include "core/faults/fault.h"

namespace ringscope {

using Sites = std::function<std::vector<FaultSite>(const Plan& plan)>;

// A numeric fault whose Mishap is the same in every plan: `set` says what goes wrong.
FaultKind numeric_fault(std::string_view name, std::string_view sentence, FaultSpread spread, Sites sites,
                        std::function<void(Mishap&)> set);
FaultKind everywhere(std::string_view name, std::string_view sentence, Sites sites, std::function<void(Mishap&)> set);

// Of each (rank, step) once, by step, then rank.
using AttendIs = std::function<bool(const Plan& plan, int step, const Attend& attend, const AttendView& view)>;
Sites attends_where(AttendIs is);
using MoveIs = std::function<bool(const Plan& plan, const Move& move)>;
Sites landings_where(MoveIs is);  // at the rank and step where it lands; between ranks, with rows
// Forward Finishes; each rank's last step, for outputs; both only where the problem is like this.
using ProblemIs = std::function<bool(const Problem& problem)>;
Sites finishes_where(ProblemIs is);
Sites homes_where(std::function<bool(const Plan& plan, int rank)> is);

// Attends with a pair, where the problem is like this.
Sites attends_where(ProblemIs is);
// Attends and merges where some row's State meets another that has keys too.
Sites joins();
// Attends that leave a row without keys whose State has some.
Sites joins_with_empty_rows();
// Backward Attends where some row sees a part of its keys.
Sites parts_of_backward();

// All allowed pairs of an Attend, and those the mask forbids: visit(pair) until it returns true; whether one did.
bool any_pair(const Plan& plan, const Attend& attend, const AttendView& view,
              const std::function<bool(const MeetingPair& pair)>& visit);
// Which block each local row or key of an Attend lies in, and where.
struct LocalPlace {
  int block = 0;
  std::int64_t row = 0, rows = 0;  // in the block; of the block
};
std::vector<LocalPlace> local_places(const Layout& layout, Side side, const Blocks& blocks);

}  // namespace ringscope
