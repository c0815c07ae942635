#include "tools/show_json.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace ringscope {

namespace {

using Json = nlohmann::ordered_json;

std::string_view word_of(Pass pass) {
  return pass == Pass::forward ? "forward" : "backward";
}

Json work_json(const Work& work) {
  return {{"attends", work.name}, {"pairs", work.pairs}, {"tile", name_of(work.tile)}};
}

Json works_json(const std::vector<Work>& works) {
  Json out = Json::array();
  for (const Work& work : works) out.push_back(work_json(work));
  return out;
}

Json runs_json(const std::vector<Stretch>& list) {
  Json out = Json::array();
  for (const Stretch& s : list) out.push_back({{"begin", s.begin}, {"end", s.end}, {"block", s.block}});
  return out;
}

Json hops_json(const std::vector<Hop>& hops) {
  Json out = Json::array();
  for (const Hop& h : hops) out.push_back({{"step", h.step}, {"lands", h.lands}, {"from", h.from}, {"to", h.to}});
  return out;
}

}  // namespace

Json to_json(const LayoutStrip& strip) {
  Json out{{"ranks", strip.ranks}, {"blocks_per_rank", strip.blocks_per_rank}};
  for (const LayoutStrip::OneSide& side : strip.sides) {
    Json rows = Json::array();
    for (const std::vector<Stretch>& list : side.rows) rows.push_back(runs_json(list));
    if (side.both || side.side == Side::q) out["q"] = rows;
    if (side.both || side.side == Side::kv) out["kv"] = rows;
  }
  return out;
}

Json to_json(const MaskMap& map) {
  Json tiles = Json::array();
  for (std::int64_t r = 0; r < map.rows(); ++r) {
    Json row = Json::array();
    for (std::int64_t c = 0; c < map.columns(); ++c) {
      const MaskTile& tile = map.tile(r, c);
      row.push_back({{"tile", name_of(tile.kind())}, {"pairs", tile.pairs}, {"rank", tile.rank}, {"step", tile.step}});
    }
    tiles.push_back(row);
  }
  return {{"rows", map.row_names}, {"columns", map.column_names}, {"pairs", map.pairs()}, {"tiles", tiles}};
}

Json to_json(const ScheduleTable& table) {
  Json steps = Json::array();
  for (std::size_t t = 0; t < table.passes.size(); ++t) {
    steps.push_back(
        {{"pass", word_of(table.passes[t])}, {"moves", table.moves[t]}, {"ranks", works_json(table.work[t])}});
  }
  return {{"steps", steps}};
}

Json to_json(const RingStep& ring) {
  Json moves = Json::array();
  for (const Traffic& t : ring.traffic) {
    moves.push_back({{"from", t.from}, {"to", t.to}, {"slices", t.names}, {"bytes", t.bytes}, {"lag", t.lag}});
  }
  return {{"step", ring.step}, {"pass", word_of(ring.pass)}, {"ranks", works_json(ring.work)}, {"moves", moves}};
}

Json to_json(const std::vector<BalanceBars>& bars) {
  Json out = Json::array();
  for (const BalanceBars& b : bars) {
    out.push_back(
        {{"name", b.name}, {"pairs", b.pairs}, {"balance", b.balance}, {"lockstep_efficiency", b.lockstep_efficiency}});
  }
  return out;
}

Json to_json(const PairView& pair) {
  Json meetings = Json::array();
  for (const Meeting& m : pair.path.meetings) {
    meetings.push_back({{"pass", word_of(m.pass)},
                        {"rank", m.rank},
                        {"step", m.step},
                        {"q_hops", hops_json(m.q_hops)},
                        {"kv_hops", hops_json(m.kv_hops)}});
  }
  Json out{{"query", pair.query},
           {"key", pair.key},
           {"head", pair.head},
           {"batch", pair.batch},
           {"allowed", pair.allowed},
           {"q_block", pair.path.q_block},
           {"kv_block", pair.path.kv_block},
           {"q_home", pair.q_home},
           {"kv_home", pair.kv_home},
           {"meetings", meetings}};
  if (pair.weight) {
    out["score"] = pair.weight->score;
    out["weight"] = pair.weight->weight;
  }
  return out;
}

Json to_json(const Timeline& timeline) {
  Json events = Json::array();
  for (const TimelineBar& bar : timeline.bars) {
    events.push_back({{"rank", bar.rank},
                      {"lane", name_of(bar.lane)},
                      {"begin_seconds", bar.begin_seconds},
                      {"end_seconds", bar.end_seconds},
                      {"slice", bar.name}});
  }
  return {{"measured", timeline.measured}, {"seconds", timeline.seconds}, {"events", events}};
}

Json to_json(const std::vector<ErrorMap>& maps) {
  Json out = Json::object();
  for (const ErrorMap& map : maps) {
    Json heads = Json::array();
    for (std::int64_t h = 0; h < map.heads; ++h) {
      Json rows = Json::array();
      for (std::int64_t r = 0; r < map.rows; ++r) {
        const double ratio = map.ratios[static_cast<std::size_t>(h * map.rows + r)];
        rows.push_back(std::isfinite(ratio) ? Json(ratio) : Json(nullptr));
      }
      heads.push_back(rows);
    }
    out[map.name] = {{"ratios", heads}};
  }
  return out;
}

Json to_json(const std::vector<RankMap>& maps) {
  Json out = Json::object();
  for (const RankMap& map : maps) {
    Json ranks = Json::array();
    for (std::size_t r = 0; r < map.ranks.size(); ++r) {
      Json columns = Json::array();
      for (std::int64_t c = 0; c < map.columns; ++c) {
        const double ratio = map.cells[r * static_cast<std::size_t>(map.columns) + static_cast<std::size_t>(c)].ratio;
        columns.push_back(std::isfinite(ratio) && ratio >= 0 ? Json(ratio) : Json(nullptr));
      }
      ranks.push_back(columns);
    }
    out[map.name] = {{"ratios", ranks}};
  }
  return out;
}

}  // namespace ringscope
