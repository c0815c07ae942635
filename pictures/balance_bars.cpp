#include "pictures/balance_bars.h"

#include <algorithm>
#include <numeric>

#include "core/index.h"
#include "pictures/frame.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

int ranks_of(const BalanceBars& bars) {
  return static_cast<int>(bars.pairs.size());
}

std::int64_t total_of(const std::vector<std::int64_t>& steps) {
  return std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
}

// What the slowest rank of each step attends, [step].
std::vector<std::int64_t> longest(const BalanceBars& bars) {
  std::vector<std::int64_t> out;
  for (const std::vector<std::int64_t>& steps : bars.pairs) {
    out.resize(std::max(out.size(), steps.size()));
    for (std::size_t t = 0; t < steps.size(); ++t) out[t] = std::max(out[t], steps[t]);
  }
  return out;
}

std::string figures(const BalanceBars& bars) {
  return "balance " + fixed(bars.balance, 3) + ", lockstep efficiency " + fixed(bars.lockstep_efficiency, 3);
}

double row_height(const BalanceBars& bars) {
  return ranks_of(bars) > 16 ? 10 : 18;
}

double height_of(const BalanceBars& bars) {
  return 46 + row_height(bars) * static_cast<double>(shown(ranks_of(bars), most_ranks_shown).size());
}

constexpr double bars_heading = 40, bar_width = 640, figure_width = 110;

// Steps that share a frame, so that no rank has more than a hundred.
std::size_t steps_per_frame(const BalanceBars& bars) {
  constexpr std::size_t most_frames = 100;
  return std::max<std::size_t>(1, (longest(bars).size() + most_frames - 1) / most_frames);
}

std::int64_t sum_of(const std::vector<std::int64_t>& steps, std::size_t begin, std::size_t end) {
  std::int64_t sum = 0;
  for (std::size_t t = begin; t < std::min(end, steps.size()); ++t) sum += steps[t];
  return sum;
}

std::string steps_in_words(std::size_t begin, std::size_t end) {
  if (end - begin == 1) return "step " + std::to_string(begin);
  return "steps " + std::to_string(begin) + "-" + std::to_string(end - 1);
}

// One rank: for each step a frame as wide as the slowest rank's work, filled as far as its own goes.
void draw_rank(const BalanceBars& bars, int rank, double y, double points_per_pair, Picture& p) {
  const double height = row_height(bars);
  const std::vector<std::int64_t> slowest = longest(bars);
  const std::size_t by = steps_per_frame(bars);
  double x = frame_margin + bars_heading;
  for (std::size_t t = 0; t < slowest.size(); t += by) {
    const std::size_t end = std::min(slowest.size(), t + by);
    const std::int64_t most = sum_of(slowest, t, end), mine = sum_of(bars.pairs[at(rank)], t, end);
    const double room = static_cast<double>(most) * points_per_pair;
    const double filled = static_cast<double>(mine) * points_per_pair;
    const std::string tooltip = "rank " + std::to_string(rank) + ", " + steps_in_words(t, end) + ": " +
                                counted(mine, "pair") + " of the " + grouped(most) + " of the busiest rank";
    p.boxes.push_back({x, y + 1, room, height - 2, Ink::faint, 0, Pattern::outlined, 1, "", tooltip});
    p.boxes.push_back(
        {x, y + 1, std::max(0.0, filled - 1), height - 2, Ink::rank, rank, Pattern::solid, 1, "", tooltip});
    x += room;
  }
}

}  // namespace

Picture draw(std::span<const BalanceBars> all) {
  double height = 24;
  std::int64_t most = 1;
  for (const BalanceBars& bars : all) {
    const std::vector<std::int64_t> slowest = longest(bars);
    most = std::max(most, total_of(slowest));
    height += height_of(bars);
  }
  Picture p = framed("Balance: who works, who waits",
                     "Time runs to the right. A frame is one step, as long as its busiest rank needs; the rest of it "
                     "is waiting.",
                     bars_heading + bar_width + figure_width, height);
  double y = frame_top;
  for (const BalanceBars& bars : all) {
    p.texts.push_back({frame_margin, y + 14, bars.name, Align::left, Ink::text, 13});
    p.texts.push_back({frame_margin, y + 30, figures(bars), Align::left, Ink::accent, 12});
    y += 38;
    for (const int rank : shown(ranks_of(bars), most_ranks_shown)) {
      const double h = row_height(bars), size = std::min(12.0, h * 0.8);
      p.texts.push_back({frame_margin + bars_heading - 8, y + h * 0.72, rank < 0 ? "…" : rank_name(rank), Align::right,
                         Ink::text, size});
      if (rank >= 0) {
        draw_rank(bars, rank, y, bar_width / static_cast<double>(most), p);
        p.texts.push_back({frame_margin + bars_heading + bar_width + figure_width, y + h * 0.72,
                           grouped(total_of(bars.pairs[at(rank)])), Align::right, Ink::faint, size});
      }
      y += h;
    }
    y += 8;
  }
  add_legend(p, frame_margin + bars_heading, y + 8,
             {{{.ink = Ink::accent}, "work (allowed pairs, all heads)"},
              {{.ink = Ink::faint, .pattern = Pattern::outlined}, "waiting for the busiest rank of the step"}});
  widen_to_words(p);
  return p;
}

Sheet write(std::span<const BalanceBars> all) {
  constexpr int name_columns = 6, number_columns = 20, bar_columns = sheet_columns - name_columns - number_columns;
  std::int64_t most = 1;
  for (const BalanceBars& bars : all) {
    for (const std::vector<std::int64_t>& steps : bars.pairs) most = std::max(most, total_of(steps));
  }
  Sheet sheet;
  for (const BalanceBars& bars : all) {
    sheet.say(bars.name);
    for (const int rank : shown(ranks_of(bars), most_ranks_shown)) {
      if (rank < 0) {
        sheet.add({{"    …", Ink::faint}});
        continue;
      }
      const std::int64_t total = total_of(bars.pairs[at(rank)]);
      // Rounded up: a rank with any work shows some.
      const std::int64_t filled = total == 0 ? 0 : (total * bar_columns - 1) / most + 1;
      sheet.add({{fit(rank_name(rank), name_columns - 1, Align::right) + " "},
                 {repeated("■", filled), Ink::rank, rank},
                 {repeated("·", bar_columns - filled), Ink::faint},
                 {fit(grouped(total), number_columns, Align::right)}});
    }
    sheet.add({{repeated(" ", name_columns) + figures(bars), Ink::accent}});
    sheet.skip();
  }
  sheet.say(
      "pairs of all heads; balance = mean / max of the totals; lockstep efficiency = mean / the sum of every "
      "step's busiest rank",
      Ink::faint);
  return sheet;
}

}  // namespace ringscope
