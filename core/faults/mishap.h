// What a backend computes wrongly, on purpose: functions that it calls at its few seams. An empty one: nothing is wrong
// there. Numbers come in fp64 and go back in the backend's own type; tensors are laid out as core/slice.h has them.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/data.h"
#include "core/plan.h"
#include "core/state.h"

namespace ringscope {

struct Spot {
  const Plan& plan;
  int rank = -1, step = -1;
  Pass pass = Pass::forward;
};

// One block of one head as a rank holds it, [B, rows, ...].
struct HeldBlock {
  TensorKind tensor = TensorKind::q;
  int block = 0, head = 0;
  std::int64_t rows = 0;
  std::vector<double> values;
};

// A query and a key that meet in an Attend.
struct MeetingPair {
  std::int64_t batch = 0;
  std::int64_t i = 0, j = 0;  // global positions
  int q_block = 0, kv_block = 0;
  std::int64_t row = 0, key = 0;  // in their blocks
  std::int64_t keys = 0;          // of the KV block
  bool allowed = false;           // by the right mask
};

struct PartState {
  double m = 0, l = 0;
  std::span<const double> o;  // [Dv]
  int parts_before = 0;       // that this row has met on this rank
};

// A row on its way from State to Out.
struct FinishedRow {
  const Problem& problem;
  double m = 0, l = 0;  // of the keys alone, without a sink logit
  double sink_logit = no_score<double>;
  std::span<double> o;  // [Dv]
  double& lse;
};

struct RowStats {
  double lse = 0, delta = 0;
};

struct Mishap {
  int rank = -1, step = -1;  // where it happens; -1: everywhere
  bool happens_at(int r, int t) const { return (rank < 0 || r == rank) && (step < 0 || t == step); }

  // Attends.
  std::function<void(const Spot&, Problem&)> terms;  // the scale, softcap, ALiBi and dropout that the kernel is given
  std::function<std::uint64_t(const Spot&, std::uint64_t seed)> dropout_seed;
  std::function<bool(const Spot&, const MeetingPair&)> sees;
  std::function<bool(const Spot&, const MeetingPair&)> sees_again;  // a second time, as if there were two such keys
  std::optional<double> masked_score;  // what keys that the mask hides score, instead of -infinity
  std::function<int(const Problem&, int q_head, const Heads& present)> kv_head;  // which KV head a query head reads
  // What is read of Q, KV and dO (Q and K turned by RoPE); `before`: what the rank read of the same tensor and head in
  // an earlier step of the same pass, if anything.
  std::function<void(const Spot&, const HeldBlock* before, HeldBlock&)> read;
  // A row's State takes in that of another Attend or another rank, instead of StateRow::merge.
  std::function<void(const StateRow<double>& running, const PartState&)> join;
  // `local`: of this Attend's keys alone.
  std::function<void(const RowStats& local, RowStats&)> stats_used;

  // Finish.
  std::function<void(const FinishedRow&)> finished;
  std::function<void(RowStats&)> stats_made;

  // What a move brings, before it is put, added or merged; `before`: what an earlier move brought of the same tensor
  // and head. And how accumulators add.
  std::function<void(const Spot&, const HeldBlock* before, HeldBlock&)> landed;
  std::function<void(const Spot&, TensorKind, std::span<double> into, std::span<const double> brought)> add;

  // Outputs, when all ranks have written theirs; happens for `rank` alone where one is named.
  std::function<void(const Plan&, int rank, Outputs&)> came_home;
};

}  // namespace ringscope
