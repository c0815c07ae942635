#include "pictures/ring_step.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/index.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

std::string all_names(const Traffic& traffic, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < traffic.names.size(); ++i) {
    if (i == most) return out + " +" + std::to_string(traffic.names.size() - most);
    out += (i > 0 ? " " : "") + traffic.names[i];
  }
  return out;
}

void add_move(const Plan& plan, const Move& m, Traffic& traffic) {
  const int owner = owner_of(plan.layout, m.blocks);
  traffic.tint = traffic.names.empty() || traffic.tint == owner ? owner : -1;
  traffic.names.push_back(short_name(m.tensor, m.blocks));
  traffic.bytes += plan.bytes(m.slice());
  traffic.lag = std::max(traffic.lag, static_cast<int>(m.lag));
}

// "KV1 → r2", or how many where a rank sends to many.
std::string sends_of(const RingStep& ring, int rank, int columns) {
  std::string out;
  int peers = 0;
  for (const Traffic& t : ring.traffic) {
    if (t.from != rank) continue;
    ++peers;
    out += (out.empty() ? "" : ", ") + all_names(t, 2) + " → " + rank_name(t.to);
    if (t.lag > 0) out += " (lag " + std::to_string(t.lag) + ")";
  }
  return columns_of(out) <= columns
             ? out
             : counted(peers, "rank") + ": " + fit(out, columns - columns_of(counted(peers, "rank")) - 2);
}

// Rank after rank along the moves, as far as each sends to one other: "r0 ─KV0→ r1 ─KV1→ ... r0".
void write_chains(const RingStep& ring, Sheet& sheet) {
  std::map<int, const Traffic*> next;
  for (const Traffic& t : ring.traffic) {
    if (!next.emplace(t.from, &t).second) return;
  }
  std::vector<bool> drawn(ring.work.size(), false);
  SheetLine line{{"  "}};
  const auto put = [&](Span span) {
    if (columns_of(line) + columns_of(span.words) > sheet_columns) {
      sheet.add(std::exchange(line, SheetLine{{"    "}}));
    }
    line.push_back(std::move(span));
  };
  std::vector<bool> has_sender(ring.work.size(), false);
  for (const Traffic& t : ring.traffic) has_sender[at(t.to)] = true;
  const auto walk = [&](int rank) {
    while (next.contains(rank) && !drawn[at(rank)]) {
      const Traffic& t = *next[rank];
      drawn[at(rank)] = true;
      put({rank_name(rank) + " ", Ink::rank, rank});
      put({"─" + all_names(t, 2) + "→ ", t.tint < 0 ? Ink::accent : Ink::rank, t.tint});
      rank = t.to;
    }
    put({rank_name(rank) + "  ", Ink::rank, rank});
  };
  // Open chains from their first rank, then the rings.
  for (int rank = 0; rank < static_cast<int>(ring.work.size()); ++rank) {
    if (next.contains(rank) && !drawn[at(rank)] && !has_sender[at(rank)]) walk(rank);
  }
  for (int rank = 0; rank < static_cast<int>(ring.work.size()); ++rank) {
    if (next.contains(rank) && !drawn[at(rank)]) walk(rank);
  }
  if (line.size() > 1) sheet.add(std::move(line));
}

}  // namespace

RingStep make_ring_step(const Plan& plan, int step) {
  const int steps = plan.schedule.steps();
  if (step < 0 || step >= steps) {
    throw Error(ErrorKind::bad_request, "step " + std::to_string(step),
                "a step from 0 to " + std::to_string(steps - 1) + ", forward first, then backward");
  }
  RingStep ring;
  ring.step = step;
  ring.steps = steps;
  ring.pass = plan.schedule.pass(step);
  ring.work = WorkReader(plan).step(step);
  ring.finishes.resize(at(plan.layout.ranks));
  for (const Finish& f : plan.schedule.finishes_of(step)) ++ring.finishes[at(f.rank)];
  std::map<std::pair<int, int>, Traffic> traffic;
  for (const Move& m : plan.schedule.moves_of(step)) {
    if (m.to == nobody) continue;
    Traffic& t = traffic[{m.from, m.to}];
    t.from = m.from;
    t.to = m.to;
    add_move(plan, m, t);
  }
  for (auto& [link, t] : traffic) ring.traffic.push_back(std::move(t));
  return ring;
}

Sheet write(const RingStep& ring) {
  constexpr int rank_columns = 6, work_columns = 16, pair_columns = 16, most_ranks = 64;
  constexpr int send_columns = sheet_columns - rank_columns - work_columns - pair_columns - 2;
  Sheet sheet;
  sheet.add({{"step " + std::to_string(ring.step) + " (of 0-" + std::to_string(ring.steps - 1) + "), " +
                  (ring.pass == Pass::forward ? "forward" : "backward"),
              Ink::accent}});
  write_chains(ring, sheet);
  sheet.add({{fit("rank", rank_columns) + fit("attends", work_columns) + fit("pairs", pair_columns, Align::right) +
                  "  " + "sends meanwhile",
              Ink::faint}});
  for (const int rank : shown(static_cast<int>(ring.work.size()), most_ranks)) {
    if (rank < 0) {
      sheet.add({{" …", Ink::faint}});
      continue;
    }
    const Work& work = ring.work[at(rank)];
    const std::string attends = work.name.empty() ? "nothing" : std::string(glyph_of(work.tile)) + " " + work.name;
    sheet.add({{fit(" " + rank_name(rank), rank_columns), Ink::rank, rank},
               {fit(attends, work_columns), work.name.empty() ? Ink::faint : Ink::rank, work.tint},
               {fit(grouped(work.pairs), pair_columns, Align::right)},
               {"  " + sends_of(ring, rank, send_columns)}});
  }
  return sheet;
}

}  // namespace ringscope
