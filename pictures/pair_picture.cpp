#include "pictures/pair_picture.h"

#include <algorithm>

#include "pictures/frame.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

std::string pair_name(const PairView& pair) {
  return "query " + std::to_string(pair.query) + ", key " + std::to_string(pair.key) + ", head " +
         std::to_string(pair.head);
}

std::string_view name_of(Pass pass) {
  return pass == Pass::forward ? "forward" : "backward";
}

std::string meeting_sentence(const Meeting& m) {
  return std::string(name_of(m.pass)) + ": on rank " + std::to_string(m.rank) + " in step " + std::to_string(m.step);
}

std::string hop_words(const Hop& hop) {
  return "step " + std::to_string(hop.step) +
         (hop.lands > hop.step ? ", there after " + std::to_string(hop.lands) : "");
}

// "KV1: at home on r1, after step 0 on r2, after step 1 on r3".
std::string way_sentence(const std::string& block, int home, const std::vector<Hop>& hops) {
  std::string out = block + ": at home on r" + std::to_string(home);
  for (const Hop& hop : hops) out += ", after step " + std::to_string(hop.lands) + " on " + rank_name(hop.to);
  return hops.empty() ? out + ", it did not move" : out;
}

std::string weight_sentence(const PairView& pair) {
  const std::string item = "batch item " + std::to_string(pair.batch);
  if (!pair.allowed) return "The mask hides this key from this query (" + item + "): nobody computes the pair.";
  if (!pair.weight) return "The mask lets this query see this key (" + item + ").";
  const PairWeight& w = *pair.weight;
  const std::string keys = "the row's " + counted(w.keys, "key");
  const std::string place =
      w.heavier == 0 ? "the heaviest of " + keys : grouped(w.heavier) + " of " + keys + " weigh more";
  const std::string dropout = w.kept == 0   ? "; dropout drops it"
                              : w.kept == 1 ? ""
                                            : "; dropout keeps it, times " + fixed(w.kept, 3);
  return "score " + fixed(w.score, 4) + ", weight " + fixed(w.weight, 6) + ": " + place + " (" + item + ")" + dropout;
}

std::string q_name(const PairView& pair) {
  return "Q" + std::to_string(pair.path.q_block);
}
std::string kv_name(const PairView& pair) {
  return "KV" + std::to_string(pair.path.kv_block);
}

constexpr double heading = 60, stop_width = 64, stop_gap = 96, stop_height = 30, track_height = 58;
constexpr int most_stops = 9;

struct Track {
  std::string name;
  int home = 0;
  const std::vector<Hop>& hops;
};

// Home, then a stop for each hop; the last one is where the block is attended.
void draw_track(const Track& track, double y, Picture& p) {
  std::vector<Hop> stops{{-1, -1, track.home, track.home}};
  stops.insert(stops.end(), track.hops.begin(), track.hops.end());
  p.texts.push_back({frame_margin, y + 20, track.name, Align::left, Ink::text, 13});
  double x = frame_margin + heading;
  for (const int s : shown(static_cast<int>(stops.size()), most_stops)) {
    const bool first = x == frame_margin + heading;
    if (!first) {
      const std::string words = s < 0 ? "" : hop_words(stops[static_cast<std::size_t>(s)]);
      p.arrows.push_back({x - stop_gap + 4, y + stop_height / 2, x - 4, y + stop_height / 2, 0, Ink::rank, track.home,
                          Stroke::solid, words});
      p.texts.push_back({x - stop_gap / 2, y + stop_height / 2 - 6, words, Align::centre, Ink::faint, 10});
    }
    if (s < 0) {
      p.texts.push_back({x + stop_width / 2, y + 20, "…", Align::centre, Ink::faint, 13});
    } else {
      const int rank = stops[static_cast<std::size_t>(s)].to;
      const bool last = s + 1 == static_cast<int>(stops.size());
      p.boxes.push_back({x, y, stop_width, stop_height, Ink::rank, rank, last ? Pattern::solid : Pattern::outlined, 1,
                         "rank " + std::to_string(rank), track.name + (last ? " is attended here" : " passes here")});
    }
    x += stop_width + stop_gap;
  }
  p.width = std::max(p.width, x - stop_gap + frame_margin);
}

}  // namespace

PairView make_pair_view(const Plan& plan, const PairRequest& request, std::optional<PairWeight> weight) {
  PairView pair{.query = request.query, .key = request.key, .head = request.head, .batch = request.batch};
  pair.path = find_pair(plan, request.query, request.key, request.head);
  pair.q_home = plan.layout.owner(pair.path.q_block);
  pair.kv_home = plan.layout.owner(pair.path.kv_block);
  pair.allowed = plan.problem.mask_rows().row(request.batch, request.query).contains(request.key);
  pair.weight = weight;
  return pair;
}

Picture draw(const PairView& pair) {
  const std::size_t meetings = pair.allowed ? pair.path.meetings.size() : 0;
  Picture p = framed("Where " + pair_name(pair) + " meet", weight_sentence(pair), 600,
                     24 + static_cast<double>(meetings) * (2 * track_height + 30));
  double y = frame_top + 18;
  for (std::size_t i = 0; i < meetings; ++i) {
    const Meeting& m = pair.path.meetings[i];
    p.texts.push_back({frame_margin, y, meeting_sentence(m), Align::left, Ink::accent, 13});
    draw_track({q_name(pair), pair.q_home, m.q_hops}, y + 16, p);
    draw_track({kv_name(pair), pair.kv_home, m.kv_hops}, y + 16 + track_height, p);
    y += 2 * track_height + 30;
  }
  return p;
}

Sheet write(const PairView& pair) {
  Sheet sheet;
  sheet.say(pair_name(pair) + ": " + q_name(pair) + " of " + rank_name(pair.q_home) + ", " + kv_name(pair) + " of " +
            rank_name(pair.kv_home));
  sheet.say(weight_sentence(pair), pair.allowed ? Ink::good : Ink::faint);
  if (pair.allowed && pair.path.meetings.empty()) sheet.say("Nobody attends this pair: the plan is wrong.", Ink::bad);
  for (const Meeting& m : pair.path.meetings) {
    if (!pair.allowed) break;
    sheet.say(meeting_sentence(m), Ink::accent);
    sheet.say("- " + way_sentence(q_name(pair), pair.q_home, m.q_hops), Ink::text, 2);
    sheet.say("- " + way_sentence(kv_name(pair), pair.kv_home, m.kv_hops), Ink::text, 2);
  }
  return sheet;
}

}  // namespace ringscope
