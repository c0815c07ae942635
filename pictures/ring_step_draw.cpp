// The ring of ranks as a picture: cards on an ellipse, rank 0 on top, clockwise; arrows under them.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "core/index.h"
#include "core/numbers.h"
#include "pictures/frame.h"
#include "pictures/ring_step.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

struct Point {
  double x = 0, y = 0;
};

struct Geometry {
  int ranks = 1;
  double radius = 0, card_width = 0, card_height = 0;
  Point centre;

  static constexpr double stretch = 1.2;

  bool roomy() const { return ranks <= 12; }
  Point place(int rank) const {  // on an ellipse: cards are wide
    const double angle = 2 * std::numbers::pi * rank / ranks - std::numbers::pi / 2;
    return {centre.x + stretch * radius * std::cos(angle), centre.y + radius * std::sin(angle)};
  }
  // Where the straight line from one card's centre towards a point leaves the card, and a little beyond.
  Point edge(Point from, Point towards) const {
    const double dx = towards.x - from.x, dy = towards.y - from.y;
    const double reach = std::max(std::abs(dx) / (card_width / 2 + 4), std::abs(dy) / (card_height / 2 + 4));
    return reach <= 1 ? from : Point{from.x + dx / reach, from.y + dy / reach};
  }
};

Geometry geometry_of(int ranks) {
  Geometry g;
  g.ranks = ranks;
  const bool roomy = g.roomy();
  g.card_width = roomy ? 104 : ranks <= 64 ? 40 : 12;
  g.card_height = roomy ? 70 : ranks <= 64 ? 24 : 10;
  const double least = roomy ? 170 : 240, around = roomy ? 176 : ranks <= 64 ? 46 : 4;
  g.radius = ranks == 1 ? 0 : std::clamp(ranks * around / (2 * std::numbers::pi), least, 500.0);
  const double half = Geometry::stretch * g.radius + g.card_width / 2 + 30;
  g.centre = {frame_margin + half, frame_top + g.radius + g.card_height / 2 + 16};
  return g;
}

std::string sentence_of(int rank, const Work& work) {
  const std::string who = "rank " + std::to_string(rank);
  if (work.name.empty()) return who + " attends nothing";
  return who + " attends its queries with " + work.name + ": " + counted(work.pairs, "pair") + " (" +
         std::string(name_of(work.tile)) + ")";
}

void draw_card(const Geometry& g, int rank, const Work& work, int finishes, Picture& p) {
  const Point c = g.place(rank);
  const double left = c.x - g.card_width / 2, top = c.y - g.card_height / 2;
  const std::string tooltip = sentence_of(rank, work);
  if (!g.roomy()) {
    p.boxes.push_back({left, top, g.card_width, g.card_height, Ink::rank, work.name.empty() ? rank : work.tint,
                       work.name.empty() ? Pattern::outlined : pattern_of(work.tile), 1, rank_name(rank), tooltip});
    return;
  }
  p.boxes.push_back({left, top, g.card_width, g.card_height, Ink::card, 0, Pattern::solid, 1, "", tooltip});
  p.boxes.push_back({left, top, 5, g.card_height, Ink::rank, rank, Pattern::solid, 1, "", tooltip});
  p.texts.push_back({left + 13, top + 17, "rank " + std::to_string(rank), Align::left, Ink::text, 13});
  if (finishes > 0) p.texts.push_back({left + g.card_width - 6, top + 17, "finish", Align::right, Ink::good, 10});
  if (work.name.empty()) {
    p.texts.push_back({left + 13, top + 39, "attends nothing", Align::left, Ink::faint, 11});
  } else {
    p.boxes.push_back({left + 13, top + 25, g.card_width - 20, 22, Ink::rank, work.tint, pattern_of(work.tile), 1,
                       "× " + work.name, tooltip});
    p.texts.push_back({left + 13, top + 62, counted(work.pairs, "pair"), Align::left, Ink::faint, 11});
  }
}

void draw_traffic(const Geometry& g, const Traffic& t, bool both_ways, bool labelled, Picture& p) {
  const Point from = g.place(t.from), to = g.place(t.to), a = g.edge(from, to), b = g.edge(to, from);
  const double bend = both_ways ? 18 : 0;
  std::string names;
  for (const std::string& name : t.names) names += (names.empty() ? "" : ", ") + name;
  const std::string when = t.lag > 0 ? ", lands " + counted(t.lag, "step") + " later" : "";
  const std::string tooltip = "rank " + std::to_string(t.from) + " sends " + names + " to rank " +
                              std::to_string(t.to) + ": " + bytes_in_words(t.bytes) + when;
  const Ink ink = t.tint < 0 ? Ink::accent : Ink::rank;
  p.arrows.push_back({a.x, a.y, b.x, b.y, bend, ink, t.tint, t.lag > 0 ? Stroke::dashed : Stroke::solid, tooltip});
  if (!labelled) return;
  const std::string label = t.names.size() <= 2 ? names : t.names[0] + " +" + std::to_string(t.names.size() - 1);
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::max(1.0, std::hypot(dx, dy));
  const Point middle{(a.x + b.x) / 2 + bend * dy / length, (a.y + b.y) / 2 - bend * dx / length};
  const double width = width_of(label, 12) + 12, height = 18;
  p.boxes.push_back(
      {middle.x - width / 2, middle.y - height / 2, width, height, ink, t.tint, Pattern::solid, 1, label, tooltip});
}

void draw_middle(const Geometry& g, const RingStep& ring, Picture& p) {
  std::int64_t bytes = 0, pairs = 0, most = 0;
  for (const Traffic& t : ring.traffic) bytes += t.bytes;
  for (const Work& w : ring.work) {
    pairs += w.pairs;
    most = std::max(most, w.pairs);
  }
  const std::string pass = ring.pass == Pass::forward ? "forward" : "backward";
  const std::vector<std::string> words{"step " + std::to_string(ring.step), pass,
                                       "busiest rank " + counted(most, "pair"), bytes_in_words(bytes) + " move"};
  double y = g.centre.y - 24;
  for (std::size_t i = 0; i < words.size(); ++i, y += i == 1 ? 22 : 18) {
    p.texts.push_back({g.centre.x, y, words[i], Align::centre, i == 0 ? Ink::text : Ink::faint, i == 0 ? 18.0 : 12.0});
  }
}

}  // namespace

Picture draw(const RingStep& ring) {
  const int ranks = static_cast<int>(ring.work.size());
  const Geometry g = geometry_of(ranks);
  const double width = 2 * Geometry::stretch * g.radius + g.card_width + 60, height = 2 * g.radius + g.card_height + 66;
  Picture p = framed("Step " + std::to_string(ring.step) + " (of 0-" + std::to_string(ring.steps - 1) + "), " +
                         (ring.pass == Pass::forward ? "forward" : "backward"),
                     "A colour is a block's home; arrows carry blocks to their next rank meanwhile.", width, height);
  Geometry centred = g;
  centred.centre.x = p.width / 2;
  std::set<std::pair<int, int>> links;
  for (const Traffic& t : ring.traffic) links.emplace(t.from, t.to);
  const bool labelled = g.roomy() && static_cast<int>(ring.traffic.size()) <= 2 * ranks;
  for (int rank = 0; rank < ranks; ++rank) draw_card(centred, rank, ring.work[at(rank)], ring.finishes[at(rank)], p);
  for (const Traffic& t : ring.traffic) draw_traffic(centred, t, links.contains({t.to, t.from}), labelled, p);
  if (ranks > 2 && !(g.roomy() && !labelled && !ring.traffic.empty())) draw_middle(centred, ring, p);
  add_legend(p, frame_margin, frame_top + height - 22, tile_legend());
  return p;
}

}  // namespace ringscope
