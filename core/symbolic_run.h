// Executes a plan without numbers: who holds what, and how many attends each accumulator has gathered.
//
// Why counts prove completeness: an attend of a (q block, kv block, head unit) is refused the second time, accumulators
// are given and never copied or dropped, and their atom never changes. So every attend is in at most one accumulator of
// its own, and one that has gathered as many as there are to gather has gathered all of them.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/head_units.h"
#include "core/proof_memory.h"
#include "core/schedule_check.h"
#include "core/tile_pairs.h"
#include "core/violation_log.h"

namespace ringscope {

class SymbolicRun {
 public:
  // Keeps references; the plan's shape is sound.
  SymbolicRun(const Plan& plan, const HeadUnits& units, const TilePairs& tiles, ViolationLog& log);

  void run(const TellDone& tell);
  ScheduleFacts facts();  // after run()

 private:
  // What a move posted with lag brings when it lands.
  struct Late {
    std::int64_t move = 0;
    std::vector<std::int32_t> contributions;  // by block, then unit
  };
  using Bits = std::vector<bool>;

  void post(int step);
  void post_send(const Move& m, const Atom& atom, int step);
  void count_transfer(const Move& m, int step);
  void compute(int step);
  void attend(const Attend& a, int step);
  void require(int rank, const Atom& atom, int step, const char* verb);
  HeldAtom& accumulator(int rank, const Atom& atom, int slot, int step);
  struct Gain {
    std::int32_t tiles = 0;  // kv blocks with pairs
    std::int64_t pairs = 0;  // heads included
  };
  Gain cover(const Attend& a, const Atom& q, int step);
  void finish(const Finish& f, int step);
  void finish_forward(const Finish& f, const Atom& q, int step);
  void finish_backward(const Finish& f, const Atom& q, int step);
  void check_drops(int step);
  void land(int step);
  void land_atom(const Move& m, const Atom& atom, std::int32_t contributions, int step);
  void empty_sources(int step);
  void check_end();
  void check_coverage(Pass pass);
  void check_leftovers(int rank);
  void check_home(int block);
  bool backward(int step) const { return plan_.schedule.pass(step) == Pass::backward; }
  Bits& of(std::array<Bits, 2>& bits, int step) { return bits[backward(step) ? 1 : 0]; }
  std::size_t finish_index(const Atom& q) const;

  // Blocks without rows have no atoms.
  template <class Visit>
  void for_each_atom(TensorKind tensor, const Blocks& blocks, const Heads& heads, const Visit& visit) const {
    const Side side = side_of(tensor);
    const Units units = units_.units(side, heads);
    for (std::int32_t i = 0; i < blocks.count; ++i) {
      if (plan_.layout.rows(side, blocks.at(i)) == 0) continue;
      for (std::int32_t unit = units.begin; unit < units.end; ++unit) visit(Atom{tensor, blocks.at(i), unit});
    }
  }

  const Plan& plan_;
  const HeadUnits& units_;
  const TilePairs& tiles_;
  ViolationLog& log_;
  ProofMemory memory_;
  std::int64_t operation_ = 0;
  std::array<Bits, 2> covered_;   // by pass; [q block, kv block, q unit]
  std::array<Bits, 2> finished_;  // by pass; [q block, q unit]
  std::map<int, std::vector<Late>> late_;
  std::vector<std::int32_t> kv_gains_;  // of one attend; [kv block of the slice, kv unit of the slice]
  std::vector<std::int64_t> staging_;   // of one step; [rank]
  std::array<FlatMap<std::int64_t>, 2> link_bytes_;
  ScheduleFacts facts_;
};

}  // namespace ringscope
