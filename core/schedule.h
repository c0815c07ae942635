// Per step: the moves, attends and finishes of every rank. Flat arrays; no strings, no vector per step.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/slice.h"

namespace ringscope {

inline constexpr std::int32_t nobody = -1;  // a move to nobody drops a copy at the end of the step
inline constexpr std::uint16_t home_slot = 0;

enum class Combine : std::uint8_t { replace, add, merge };
enum class Source : std::uint8_t { keep, give };  // give empties the source

struct Move {
  Blocks blocks;
  std::int32_t from = 0, to = 0;
  Heads heads;
  std::uint16_t slot = 0;  // at the receiver; own blocks always live in slot 0 there
  std::uint16_t lag = 0;   // lands at the end of step t + lag
  TensorKind tensor = TensorKind::kv;
  Combine combine = Combine::replace;
  Source source = Source::keep;
  std::uint8_t reserved = 0;

  Slice slice() const { return {tensor, blocks, heads}; }
  bool operator==(const Move&) const = default;
};
static_assert(sizeof(Move) == 32);

struct Attend {
  std::int32_t rank = 0;
  Blocks q, kv;
  Heads q_heads, kv_heads;
  std::uint16_t acc_q = 0;   // slot of State (forward) or dQ (backward) for foreign query blocks
  std::uint16_t acc_kv = 0;  // slot of dKV for foreign KV blocks; backward only
  bool operator==(const Attend&) const = default;
};
static_assert(sizeof(Attend) == 40);

// Forward: State -> Out. Backward: delta = rowsum(dO * O) and the LSE -> Stats.
struct Finish {
  std::int32_t rank = 0;
  Blocks q;
  Heads heads;
  std::uint16_t slot = 0;  // of Out (forward) or Stats (backward) for foreign blocks
  std::uint16_t reserved = 0;
  bool operator==(const Finish&) const = default;
};
static_assert(sizeof(Finish) == 24);

enum class Pass : std::uint8_t { forward, backward };

struct StepBegin {
  std::int64_t move = 0, attend = 0, finish = 0;
  Pass pass = Pass::forward;
  bool operator==(const StepBegin&) const = default;
};

struct Schedule {
  std::vector<Move> moves;
  std::vector<Attend> attends;
  std::vector<Finish> finishes;
  std::vector<StepBegin> step_begin;  // one per step; forward steps come first

  int steps() const { return static_cast<int>(step_begin.size()); }
  Pass pass(int step) const { return step_begin[static_cast<std::size_t>(step)].pass; }
  bool has_backward() const { return !step_begin.empty() && step_begin.back().pass == Pass::backward; }
  std::int64_t first_move(int step) const;  // index into moves; step may be steps()
  std::int64_t first_attend(int step) const;
  std::int64_t first_finish(int step) const;
  std::span<const Move> moves_of(int step) const;
  std::span<const Attend> attends_of(int step) const;
  std::span<const Finish> finishes_of(int step) const;
  bool operator==(const Schedule&) const = default;
};

// The same schedule rank by rank: indices into the flat arrays, in list order.
struct RankProgram {
  std::vector<std::int64_t> sends, receives, drops, attends, finishes;                          // indices
  std::vector<std::int64_t> send_begin, receive_begin, drop_begin, attend_begin, finish_begin;  // [steps + 1]
};
// One per rank. `receives` of step t are the moves *posted* in t; a move of lag n lands at the end of t + n.
std::vector<RankProgram> index_by_rank(const Schedule& schedule, int ranks);

// FNV-1a over the arrays, the canonical hash of a schedule.
std::uint64_t hash_of(const Schedule& schedule);

}  // namespace ringscope
