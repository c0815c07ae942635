#include "pictures/timeline.h"

#include <algorithm>
#include <array>

#include "core/numbers.h"
#include "pictures/frame.h"
#include "pictures/words.h"
#include "pictures/work.h"

namespace ringscope {

namespace {

constexpr std::array<Lane, 4> lanes{Lane::compute, Lane::send, Lane::receive, Lane::wait};
constexpr int most_ranks = 32;

std::string_view verb_of(EventKind kind) {
  constexpr std::array<std::string_view, 5> verbs{"attends", "finishes", "moves", "lands", "waits for"};
  return verbs[static_cast<std::size_t>(kind)];
}

std::string tooltip_of(const TraceEvent& e) {
  std::string out = "rank " + std::to_string(e.rank) + ", step " + std::to_string(e.step) + ": " +
                    std::string(verb_of(e.kind)) + " " + to_text(e.slice);
  if (e.peer >= 0) out += (e.lane == Lane::send ? " to rank " : " from rank ") + std::to_string(e.peer);
  if (e.bytes > 0) out += ", " + bytes_in_words(e.bytes);
  return out + ", from " + seconds_in_words(e.begin_seconds) + " for " +
         seconds_in_words(e.end_seconds - e.begin_seconds);
}

// How much of each column's time the lane is busy, [columns]; overlapping bars count once at most.
std::vector<double> busy(const Timeline& timeline, int rank, Lane lane, int columns) {
  std::vector<double> out(static_cast<std::size_t>(columns));
  const double column = timeline.seconds / columns;
  for (const TimelineBar& bar : timeline.bars) {
    if (bar.rank != rank || bar.lane != lane || column <= 0) continue;
    const int first = std::clamp(static_cast<int>(bar.begin_seconds / column), 0, columns - 1);
    const int last = std::clamp(static_cast<int>(bar.end_seconds / column), 0, columns - 1);
    // What took no time that the clock could tell is there all the same.
    out[static_cast<std::size_t>(first)] += 1e-9;
    for (int c = first; c <= last; ++c) {
      const double overlap = std::min(bar.end_seconds, (c + 1) * column) - std::max(bar.begin_seconds, c * column);
      out[static_cast<std::size_t>(c)] += std::max(0.0, overlap / column);
    }
  }
  return out;
}

}  // namespace

Timeline make_timeline(const Trace& trace, const Layout& layout) {
  Timeline timeline;
  timeline.ranks = trace.ranks;
  timeline.measured = trace.measured;
  for (const TraceEvent& e : trace.events) {
    timeline.seconds = std::max(timeline.seconds, e.end_seconds);
    timeline.bars.push_back({e.rank, e.lane, e.begin_seconds, e.end_seconds, owner_of(layout, e.slice.blocks),
                             short_name(e.slice.tensor, e.slice.blocks), tooltip_of(e)});
  }
  return timeline;
}

Picture draw(const Timeline& timeline) {
  constexpr double heading = 96, width = 800, lane_height = 13, rank_gap = 12;
  const std::vector<int> ranks = shown(timeline.ranks, most_ranks);
  const double rank_height = lane_height * static_cast<double>(lanes.size()) + rank_gap;
  const double height = 24 + rank_height * static_cast<double>(ranks.size()) + 24;
  Picture p = framed(timeline.measured ? "Measured timeline" : "Predicted timeline",
                     seconds_in_words(timeline.seconds) + "; a colour is the home of the block at work.",
                     heading + width, height);
  const double left = frame_margin + heading, top = frame_top + 24;
  const double scale = timeline.seconds > 0 ? width / timeline.seconds : 0;
  for (int tick = 0; tick <= 4; ++tick) {
    const double x = left + width * tick / 4;
    p.lines.push_back({x, top - 4, x, top + height - 52, Ink::faint, Stroke::dashed});
    p.texts.push_back({x, top - 10, seconds_in_words(timeline.seconds * tick / 4),
                       tick == 4 ? Align::right : Align::centre, Ink::faint, 10});
  }
  std::vector<double> tops(static_cast<std::size_t>(timeline.ranks), -1);
  double y = top;
  for (const int rank : ranks) {
    p.texts.push_back(
        {frame_margin, y + 11, rank < 0 ? "…" : "rank " + std::to_string(rank), Align::left, Ink::text, 12});
    if (rank >= 0) tops[static_cast<std::size_t>(rank)] = y;
    for (std::size_t lane = 0; rank >= 0 && lane < lanes.size(); ++lane) {
      p.texts.push_back({left - 8, y + lane_height * (static_cast<double>(lane) + 0.8),
                         std::string(name_of(lanes[lane])), Align::right, Ink::faint, 10});
    }
    y += rank_height;
  }
  for (const TimelineBar& bar : timeline.bars) {
    const double rank_top = tops[static_cast<std::size_t>(bar.rank)];
    if (rank_top < 0) continue;
    const bool waits = bar.lane == Lane::wait;
    const bool computes = bar.lane == Lane::compute;
    p.boxes.push_back({left + bar.begin_seconds * scale,
                       rank_top + lane_height * static_cast<double>(static_cast<int>(bar.lane)) + 1,
                       std::max(0.8, (bar.end_seconds - bar.begin_seconds) * scale), lane_height - 2,
                       waits || bar.tint < 0 ? Ink::faint : Ink::rank, bar.tint,
                       waits      ? Pattern::outlined
                       : computes ? Pattern::solid
                                  : Pattern::hatched,
                       1, computes ? bar.name : "", bar.tooltip});
  }
  add_legend(p, left, top + height - 42,
             {{{.ink = Ink::accent}, "compute"},
              {{.ink = Ink::accent, .pattern = Pattern::hatched}, "send, receive"},
              {{.ink = Ink::accent, .pattern = Pattern::outlined}, "wait"}});
  return p;
}

Sheet write(const Timeline& timeline) {
  constexpr int heading = 16, columns = sheet_columns - heading;
  constexpr std::array<std::string_view, 4> glyphs{"█", "→", "←", "~"};
  Sheet sheet;
  sheet.add({{std::string(timeline.measured ? "measured" : "predicted") + ", " + seconds_in_words(timeline.seconds) +
                  " from left to right",
              Ink::accent}});
  for (const int rank : shown(timeline.ranks, most_ranks)) {
    if (rank < 0) {
      sheet.add({{"    …", Ink::faint}});
      continue;
    }
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const std::vector<double> share = busy(timeline, rank, lanes[lane], columns);
      if (std::all_of(share.begin(), share.end(), [](double s) { return s == 0; })) continue;
      std::string line;
      for (const double s : share) line += s >= 0.5 ? glyphs[lane] : s > 0 ? "·" : " ";
      sheet.add({{fit(rank_name(rank), 6, Align::right) + " ", Ink::rank, rank},
                 {fit(name_of(lanes[lane]), heading - 7), Ink::faint},
                 {line, lanes[lane] == Lane::wait ? Ink::faint : Ink::rank, rank}});
    }
  }
  sheet.say("█ compute, → send, ← receive, ~ wait; · is less than half of a column's time", Ink::faint);
  return sheet;
}

}  // namespace ringscope
