#include "pictures/schedule_table.h"

#include <algorithm>

#include "core/index.h"
#include "pictures/frame.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

std::vector<int> steps_of(const ScheduleTable& table, Pass pass) {
  std::vector<int> out;
  for (int t = 0; t < table.steps(); ++t) {
    if (table.passes[at(t)] == pass) out.push_back(t);
  }
  return out;
}

std::string_view name_of(Pass pass) {
  return pass == Pass::forward ? "forward" : "backward";
}

std::string tooltip_of(int rank, int step, const Work& work) {
  const std::string where = "rank " + std::to_string(rank) + ", step " + std::to_string(step) + ": ";
  if (work.name.empty()) return where + "attends nothing";
  return where + work.name + ", " + counted(work.pairs, "pair") + " (" + std::string(name_of(work.tile)) + ")";
}

// "3▨": the block's name without its tensor, where the full name would not fit.
std::string cell_of(const Work& work, int width) {
  if (work.name.empty()) return fit("", width);
  const std::string name = columns_of(work.name) + 2 <= width
                               ? work.name
                               : work.name.substr(std::min(work.name.size(), work.name.find_first_of("0123456789")));
  return fit(fit(name, std::min(columns_of(name), width - 2)) + std::string(glyph_of(work.tile)), width);
}

int widest_name(const ScheduleTable& table) {
  int n = 1;
  for (const std::vector<Work>& step : table.work) {
    for (const Work& work : step) n = std::max(n, columns_of(work.name));
  }
  return n;
}

void write_pass(const ScheduleTable& table, Pass pass, Sheet& sheet) {
  constexpr int heading = 6, total = 16;
  const std::vector<int> steps = steps_of(table, pass);
  if (steps.empty()) return;
  const int room = sheet_columns - heading - total, n = static_cast<int>(steps.size());
  const int width = std::clamp(room / n, 5, widest_name(table) + 2);
  const std::vector<int> columns = shown(n, room / width);
  SheetLine numbers{{fit(" step", heading), Ink::faint}};
  SheetLine moves{{fit("moves", heading), Ink::faint}};
  for (const int c : columns) {
    numbers.push_back({fit(c < 0 ? "…" : std::to_string(steps[at(c)]), width), Ink::faint});
    moves.push_back({fit(c < 0 ? "…" : grouped(table.moves[at(steps[at(c)])]), width), Ink::faint});
  }
  numbers.push_back({fit("pairs", total, Align::right), Ink::faint});
  sheet.add({{std::string(name_of(pass)), Ink::accent}});
  sheet.add(std::move(numbers));
  for (const int rank : shown(table.ranks, 64)) {
    if (rank < 0) {
      sheet.add({{"    …", Ink::faint}});
      continue;
    }
    SheetLine line{{fit(rank_name(rank), heading - 1, Align::right) + " ", Ink::rank, rank}};
    for (const int c : columns) {
      const Work none, &work = c < 0 ? none : table.work[at(steps[at(c)])][at(rank)];
      line.push_back({c < 0 ? fit("…", width) : cell_of(work, width), Ink::rank, work.tint});
    }
    line.push_back({fit(grouped(table.pairs(rank, pass)), total, Align::right)});
    sheet.add(std::move(line));
  }
  sheet.add(std::move(moves));
}

}  // namespace

std::int64_t ScheduleTable::pairs(int rank, Pass pass) const {
  std::int64_t n = 0;
  for (int t = 0; t < steps(); ++t) {
    if (passes[at(t)] == pass) n += work[at(t)][at(rank)].pairs;
  }
  return n;
}

ScheduleTable make_schedule_table(const Plan& plan) {
  const WorkReader reader(plan);
  ScheduleTable table;
  table.ranks = plan.layout.ranks;
  for (int t = 0; t < plan.schedule.steps(); ++t) {
    const auto moves = plan.schedule.moves_of(t);
    table.passes.push_back(plan.schedule.pass(t));
    table.work.push_back(reader.step(t));
    table.moves.push_back(std::count_if(moves.begin(), moves.end(), [](const Move& m) { return m.to != nobody; }));
  }
  return table;
}

Picture draw(const ScheduleTable& table) {
  constexpr double heading = 40, total = 96, gap = 14;
  constexpr int most_ranks = 64, most_steps = 64;
  const std::vector<int> ranks = shown(table.ranks, most_ranks), steps = shown(table.steps(), most_steps);
  const double width = std::clamp(820.0 / std::max<double>(1, static_cast<double>(steps.size())), 14.0,
                                  14 + width_of(std::string(at(widest_name(table)), '0'), 12));
  const double height = ranks.size() > 16 ? 16 : 26;
  const auto rows = static_cast<double>(ranks.size()), columns = static_cast<double>(steps.size());
  Picture p = framed("Who attends what, step by step",
                     "Rows are ranks, columns steps; a colour is the block's home. Follow one colour to see it travel.",
                     heading + columns * width + gap + total, 40 + rows * height + 34);
  const double top = frame_top + 36;
  double x = frame_margin + heading;
  Pass last_pass = Pass::forward;
  for (std::size_t c = 0; c < steps.size(); ++c, x += width) {
    const int t = steps[c];
    if (t < 0) {
      p.texts.push_back({x + width / 2, top - 6, "…", Align::centre, Ink::faint});
      continue;
    }
    const Pass pass = table.passes[at(t)];
    const bool begins = c == 0 || last_pass != pass;
    if (begins && c > 0) x += gap;
    last_pass = pass;
    if (begins) p.texts.push_back({x, top - 22, std::string(name_of(pass)), Align::left, Ink::accent, 12});
    const bool numbered = width >= 18 || t % 4 == 0;
    if (numbered) p.texts.push_back({x + width / 2, top - 6, std::to_string(t), Align::centre, Ink::faint, 11});
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      if (ranks[r] < 0) continue;
      const Work& work = table.work[at(t)][at(ranks[r])];
      if (work.name.empty()) continue;
      p.boxes.push_back({.x = x + 1,
                         .y = top + static_cast<double>(r) * height + 1,
                         .width = width - 2,
                         .height = height - 2,
                         .ink = Ink::rank,
                         .tint = work.tint,
                         .pattern = pattern_of(work.tile),
                         .label = work.name,
                         .tooltip = tooltip_of(ranks[r], t, work)});
    }
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const double y = top + (static_cast<double>(r) + 0.5) * height + 4;
    const std::string name = ranks[r] < 0 ? "…" : rank_name(ranks[r]);
    p.texts.push_back({frame_margin + heading - 8, y, name, Align::right, Ink::text, std::min(12.0, height * 0.7)});
    if (ranks[r] < 0) continue;
    const std::int64_t pairs = table.pairs(ranks[r], Pass::forward) + table.pairs(ranks[r], Pass::backward);
    p.texts.push_back({x + total, y, grouped(pairs), Align::right, Ink::faint, std::min(11.0, height * 0.7)});
  }
  p.texts.push_back({x + total, top - 6, "pairs in all", Align::right, Ink::faint, 11});
  p.width = std::max(p.width, x + total + frame_margin);
  add_legend(p, frame_margin + heading, top + rows * height + 12, tile_legend());
  return p;
}

Sheet write(const ScheduleTable& table) {
  Sheet sheet;
  write_pass(table, Pass::forward, sheet);
  if (!steps_of(table, Pass::backward).empty()) sheet.skip();
  write_pass(table, Pass::backward, sheet);
  sheet.say("■ full  ▨ partial  · empty (skipped); a row shows what its rank attends, by the block that came to it",
            Ink::faint);
  return sheet;
}

}  // namespace ringscope
