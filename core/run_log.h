// Plan, snapshots per rank and step, row events: what the stepper, the viewer and the report read.
#pragma once
#include <cstdint>
#include <vector>

#include "core/plan.h"

namespace ringscope {

// One (tensor, block, head) that a rank holds at the end of a step.
struct Held {
  TensorKind tensor = TensorKind::state;
  int block = 0, head = 0;
  int slot = 0;
  // State: m [B, rows], l [B, rows], O [B, rows, Dv] (unnormalised). Out: O [B, rows, Dv], LSE [B, rows].
  // dQ: [B, rows, Dqk]. dKV: dK [B, rows, Dqk], dV [B, rows, Dv]. Gradients are in the turned space when RoPE is on.
  std::vector<double> values;
};

struct Snapshot {
  int rank = 0, step = 0;
  std::vector<Held> held;  // State, Out, dQ and dKV only, by tensor, block, head
};

// One key absorbed by one row, in the order in which the kernel did it (the naive kernel alone writes these).
struct RowEvent {
  int rank = 0, step = 0;
  std::int64_t batch = 0, head = 0, query = 0, key = 0;  // global positions
  double score = 0, m = 0, l = 0;                        // after the key: running maximum and sum
};

struct RunLog {
  Plan plan;
  std::vector<Snapshot> snapshots;  // by rank, then step
  std::vector<RowEvent> rows;
};

}  // namespace ringscope
