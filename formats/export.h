// One run as tensors to write: inputs, outputs and, if wanted, what each rank holds after each step (docs/formats.md).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/case.h"
#include "core/data.h"
#include "core/plan.h"
#include "core/run_log.h"
#include "formats/tensor_file.h"

namespace ringscope {

// The metadata of an exported file: the canonical case, and what the keys of docs/formats.md can say of it, for readers
// that know no case line. Of a shard `rank`, `ranks` and, where it is one of those, the layout, too.
std::map<std::string, std::string> export_metadata(const Case& c);
std::map<std::string, std::string> shard_metadata(const Case& c, const Layout& layout, int rank);

// q, k, v, do, sinks, alibi, o, lse, dq, dk, dv in natural order, BHSD; lse [B, Hq, S].
std::vector<TensorToWrite> whole_tensors(const Problem& problem, const Inputs& inputs, const Outputs& outputs);
// The rows of one rank alone, in its local order.
std::vector<TensorToWrite> shard_tensors(const Plan& plan, int rank, const Inputs& inputs, const Outputs& outputs);

// After each step of each rank (or of one rank): the State, normalised, of its own rows as t1.r2.o and t1.r2.lse, of
// other query blocks as t1.r2.q0.o; dQ likewise as t1.r2.dq; dK and dV by KV block as t1.r2.b0.dk. Heads are those
// held.
std::vector<TensorToWrite> step_tensors(const Plan& plan, const RunLog& log);

}  // namespace ringscope
