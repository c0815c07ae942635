// Reports as JSON: one object per line and run, then one for all.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "core/report.h"
#include "core/ulps.h"

namespace ringscope {

// {case, verdict, reason, figures {o, lse, dq, dk, dv as far as there: verdict, max_abs, rel_fro, ratio, peak_ratio,
// nonfinite}, where {check, rank, step, kv_block, output, batch, head, row} or null, seconds}. What is not known is
// null, and so are figures that are not finite.
nlohmann::ordered_json to_json(const Report& report);
// {summary {passed, failed, mistrusted, skipped, invalid, faulted; and where planted faults were not seen by cases that
// passed, fault_unseen}}
nlohmann::ordered_json to_json(const Summary& summary);
// {same_bits, ulps {o, ...: {most, and how many elements by distance}}}
nlohmann::ordered_json to_json(const Agreement& agreement);

}  // namespace ringscope
