#include "core/schedule.h"

#include "core/index.h"

namespace ringscope {

namespace {

template <class Item>
std::span<const Item> part(const std::vector<Item>& items, std::int64_t begin, std::int64_t end) {
  return std::span(items).subspan(at(begin), at(end - begin));
}

class Fnv {
 public:
  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) h_ = (h_ ^ ((value >> (8 * i)) & 255)) * 1099511628211ULL;
  }
  void add(const Blocks& b) {
    add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(b.first)) << 32 | static_cast<std::uint32_t>(b.count));
    add(static_cast<std::uint32_t>(b.stride));
  }
  void add(const Heads& h) { add(static_cast<std::uint64_t>(h.begin) << 16 | h.end); }
  std::uint64_t value() const { return h_; }

 private:
  std::uint64_t h_ = 14695981039346656037ULL;
};

}  // namespace

std::int64_t Schedule::first_move(int step) const {
  return step == steps() ? static_cast<std::int64_t>(moves.size()) : step_begin[at(step)].move;
}
std::int64_t Schedule::first_attend(int step) const {
  return step == steps() ? static_cast<std::int64_t>(attends.size()) : step_begin[at(step)].attend;
}
std::int64_t Schedule::first_finish(int step) const {
  return step == steps() ? static_cast<std::int64_t>(finishes.size()) : step_begin[at(step)].finish;
}
std::span<const Move> Schedule::moves_of(int step) const {
  return part(moves, first_move(step), first_move(step + 1));
}
std::span<const Attend> Schedule::attends_of(int step) const {
  return part(attends, first_attend(step), first_attend(step + 1));
}
std::span<const Finish> Schedule::finishes_of(int step) const {
  return part(finishes, first_finish(step), first_finish(step + 1));
}

std::vector<RankProgram> index_by_rank(const Schedule& schedule, int ranks) {
  std::vector<RankProgram> programs(at(ranks));
  for (int t = 0; t <= schedule.steps(); ++t) {
    for (RankProgram& p : programs) {
      p.send_begin.push_back(static_cast<std::int64_t>(p.sends.size()));
      p.receive_begin.push_back(static_cast<std::int64_t>(p.receives.size()));
      p.drop_begin.push_back(static_cast<std::int64_t>(p.drops.size()));
      p.attend_begin.push_back(static_cast<std::int64_t>(p.attends.size()));
      p.finish_begin.push_back(static_cast<std::int64_t>(p.finishes.size()));
    }
    if (t == schedule.steps()) break;
    for (std::int64_t i = schedule.first_move(t); i < schedule.first_move(t + 1); ++i) {
      const Move& m = schedule.moves[at(i)];
      if (m.to == nobody) {
        programs[at(m.from)].drops.push_back(i);
        continue;
      }
      programs[at(m.from)].sends.push_back(i);
      programs[at(m.to)].receives.push_back(i);
    }
    for (std::int64_t i = schedule.first_attend(t); i < schedule.first_attend(t + 1); ++i) {
      programs[at(schedule.attends[at(i)].rank)].attends.push_back(i);
    }
    for (std::int64_t i = schedule.first_finish(t); i < schedule.first_finish(t + 1); ++i) {
      programs[at(schedule.finishes[at(i)].rank)].finishes.push_back(i);
    }
  }
  return programs;
}

std::uint64_t hash_of(const Schedule& schedule) {
  Fnv h;
  for (const StepBegin& s : schedule.step_begin) {
    h.add(static_cast<std::uint64_t>(s.move));
    h.add(static_cast<std::uint64_t>(s.attend));
    h.add(static_cast<std::uint64_t>(s.finish) << 1 | static_cast<std::uint64_t>(s.pass == Pass::backward));
  }
  for (const Move& m : schedule.moves) {
    h.add(m.blocks);
    h.add(m.heads);
    h.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(m.from)) << 32 | static_cast<std::uint32_t>(m.to));
    h.add(static_cast<std::uint64_t>(m.slot) << 48 | static_cast<std::uint64_t>(m.lag) << 32 |
          static_cast<std::uint64_t>(m.tensor) << 16 | static_cast<std::uint64_t>(m.combine) << 8 |
          static_cast<std::uint64_t>(m.source));
  }
  for (const Attend& a : schedule.attends) {
    h.add(a.q);
    h.add(a.kv);
    h.add(a.q_heads);
    h.add(a.kv_heads);
    h.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(a.rank)) << 32 |
          static_cast<std::uint64_t>(a.acc_q) << 16 | a.acc_kv);
  }
  for (const Finish& f : schedule.finishes) {
    h.add(f.q);
    h.add(f.heads);
    h.add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(f.rank)) << 16 | f.slot);
  }
  return h.value();
}

}  // namespace ringscope
