// Judges outputs against the oracle, by the numerics contract (docs/numerics.md).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/data.h"
#include "core/fill.h"
#include "core/oracle.h"
#include "core/problem.h"
#include "core/report.h"

namespace ringscope {

// Everything that the judgement needs and that does not depend on schedule, layout or backend: shared between cases
// with the same problem and data.
struct Reference {
  Inputs inputs;
  Outputs oracle;
  Outputs magnitudes;               // C, per element
  std::optional<Outputs> baseline;  // lower precision only
  std::optional<ExactOutputs> exact;
  std::optional<std::string> mistrust;  // why no verdict on these data could be trusted
};
Reference make_reference(const Problem& problem, Fill fill, std::uint64_t seed, Weights weights = Weights::kept,
                         const TellDone& tell = {});

// Fills figures, verdict, reason and the first wrong (output, batch, head, row), outputs in the order o, lse, dq, dk,
// dv. A wrong gradient of the sink logit fails too: where.check is then "d_sink" and where.head the query head. A
// failure outranks mistrust.
Report compare(const Problem& problem, const Reference& reference, const Outputs& outputs);

// Each row's error over what is allowed for it, [B * H * rows]; above 1 is wrong, infinite where values are not finite
// and should be. Empty for gradients of a problem without a backward.
std::vector<double> row_ratios(const Problem& problem, const Reference& reference, Output output,
                               const Outputs& outputs);

}  // namespace ringscope
