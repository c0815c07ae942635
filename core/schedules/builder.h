// What every schedule builder writes with: moves, attends and finishes by step, then one flat Schedule.
#pragma once
#include <cstdint>
#include <vector>

#include "core/pair_count.h"
#include "core/recipe.h"

namespace ringscope {

// Slots by convention (docs/schedules.md): 0 home, 1 and 2 travel, 3 and 4 the other lane, from 5 on gathered.
inline constexpr std::uint16_t gather_slot = 5;

// Blocks and heads of one side: what a rank holds, or what travels.
struct Share {
  Blocks blocks;
  Heads heads;
};

class ScheduleBuilder {
 public:
  // Keeps a reference: the request must outlive the builder.
  explicit ScheduleBuilder(const BuildRequest& request);

  const BuildRequest& request() const { return request_; }
  int ranks() const { return request_.layout.ranks; }
  Heads q_heads() const;
  Heads kv_heads() const;
  Blocks own(int rank) const;
  bool has_rows(Side side, const Blocks& blocks) const;
  // Both have rows and, with prune, the mask leaves a pair.
  bool needs(const Blocks& q, const Blocks& kv) const;

  // Steps from here on are backward ones.
  void start_backward(int step) { first_backward_ = step; }
  // Room for so many more: rings of a thousand ranks write millions.
  void expect(std::size_t moves, std::size_t attends);
  // A move without rows, without heads or to oneself does not exist; nor does a drop of nothing but own blocks.
  void move(int step, const Move& move);
  void drop(int step, int rank, const Slice& slice);
  void attend(int step, const Attend& attend);
  void finish(int step, int rank, const Share& q);

  // The schedule so far, which leaves the builder. Inside a step the order of the calls stays: it is the landing order.
  // Steps in which nothing happens are left out.
  Schedule take();

 private:
  template <class Item>
  struct List {
    std::vector<Item> items;
    std::vector<std::int32_t> step;  // of each item

    void add(int t, const Item& item) {
      items.push_back(item);
      step.push_back(t);
    }
    void expect(std::size_t more) {
      items.reserve(items.size() + more);
      step.reserve(step.size() + more);
    }
    std::vector<std::int64_t> begins(int steps) const;                       // [steps + 1]
    std::vector<Item> take_by_step(const std::vector<std::int64_t>& begin);  // stable; O(items)
  };

  void require_room(std::size_t moves, std::size_t attends) const;
  bool has_foreign_rows(const Slice& slice, int rank) const;
  int steps() const;

  const BuildRequest& request_;
  PairCounter pairs_;
  int first_backward_;
  List<Move> moves_;
  List<Attend> attends_;
  List<Finish> finishes_;
};

}  // namespace ringscope
