// What each rank attends in a step, with its exact pairs: read from a plan, for the pictures.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/pair_count.h"
#include "core/plan.h"

namespace ringscope {

struct Work {
  std::vector<int> q_blocks, kv_blocks;  // ascending, each once; only blocks that have rows
  std::int64_t pairs = 0;                // heads and batch included
  Tile tile = Tile::empty;               // of all its pairs together
  int tint = -1;                         // the owner of the blocks that `name` names; -1: several owners
  std::string name;                      // what came to be attended: "KV3", or "Q3" where the KV block stays at home
};

class WorkReader {
 public:
  // Keeps a reference: the plan must outlive it.
  explicit WorkReader(const Plan& plan);

  std::vector<Work> step(int step) const;               // [rank]
  std::int64_t pairs(int q_block, int kv_block) const;  // of one query head

 private:
  Work work_of(int rank, std::vector<int> q_blocks, std::vector<int> kv_blocks) const;

  const Plan& plan_;
  std::vector<std::int64_t> pairs_;  // [q_block * blocks + kv_block]
};

// The one owner of the blocks; -1 where they have several.
int owner_of(const Layout& layout, const Blocks& blocks);

}  // namespace ringscope
