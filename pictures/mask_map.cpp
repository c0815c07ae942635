#include "pictures/mask_map.h"

#include <algorithm>

#include "core/index.h"
#include "pictures/layout_strip.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

constexpr std::int64_t most_lines = 64;  // rows or columns of a map: one glyph each fits a terminal

// One row or column of the map.
struct Strip {
  std::string name;
  BlockRows rows;
  int block = 0, rank = 0;
};

std::vector<Strip> strips_by_position(const Layout& layout, Side side) {
  std::vector<Strip> out;
  for (const Stretch& s : stretches_of(layout, side)) {
    const std::string name =
        s.size() == 1 ? std::to_string(s.begin) : std::to_string(s.begin) + "-" + std::to_string(s.end - 1);
    out.push_back({name, BlockRows({{s.begin, 1, 0, s.size()}}), s.block, s.rank});
  }
  return out;
}

std::vector<Strip> strips_by_block(const Layout& layout, Side side) {
  std::vector<Strip> out;
  for (int b = 0; b < layout.blocks(); ++b) {
    if (layout.rows(side, b) == 0) continue;
    const std::string name = (side == Side::q ? "Q" : "KV") + std::to_string(b);
    out.push_back({name, layout.block(side, b), b, layout.owner(b)});
  }
  return out;
}

// The pairs of one batch item are those of the problem that has only this item.
Problem one_item(const Problem& problem, int batch) {
  Problem p = problem;
  if (batch == every_item) return p;
  p.batch = 1;
  if (!p.mask.kv_lens.empty()) p.mask.kv_lens = {problem.mask.kv_lens[at(batch)]};
  return p;
}

struct Doer {
  int rank = -1, step = -1;
};

// Who attends query block q with KV block kv for one head: [q * blocks + kv].
std::vector<Doer> doers_of(const Plan& plan, const MaskMapRequest& request) {
  const int n = plan.layout.blocks();
  std::vector<Doer> out(at(static_cast<std::int64_t>(n) * n));
  for (int t = 0; t < plan.schedule.steps(); ++t) {
    if (plan.schedule.pass(t) != request.pass) continue;
    for (const Attend& a : plan.schedule.attends_of(t)) {
      if (request.head < a.q_heads.begin || request.head >= a.q_heads.end) continue;
      for (int i = 0; i < a.q.count; ++i) {
        for (int j = 0; j < a.kv.count; ++j)
          out[at(static_cast<std::int64_t>(a.q.at(i)) * n + a.kv.at(j))] = {a.rank, t};
      }
    }
  }
  return out;
}

// Blocks for the pair counter that are the strips of the map: rows first, then columns.
Layout layout_of(const std::vector<Strip>& rows, const std::vector<Strip>& columns) {
  Layout layout;
  layout.ranks = static_cast<int>(std::max(rows.size(), columns.size()));
  layout.q.resize(at(layout.ranks));
  layout.kv.resize(at(layout.ranks));
  for (std::size_t i = 0; i < rows.size(); ++i) layout.q[i] = rows[i].rows;
  for (std::size_t i = 0; i < columns.size(); ++i) layout.kv[i] = columns[i].rows;
  return layout;
}

std::string joined(const std::string& first, const std::string& last) {
  if (first == last) return first;
  return first.substr(0, first.find('-')) + "-" + last.substr(std::min(last.size(), last.find_first_of("0123456789")));
}

// `by` neighbours together, in both directions; what they do not share is -1.
MaskMap pooled(const MaskMap& map, std::int64_t by) {
  MaskMap out;
  out.order = map.order;
  out.step = map.step;
  const auto pool = [&](const std::vector<std::string>& names, const std::vector<int>& ranks,
                        std::vector<std::string>& to_names, std::vector<int>& to_ranks) {
    const auto n = static_cast<std::int64_t>(names.size());
    for (std::int64_t i = 0; i < n; i += by) {
      const std::int64_t last = std::min(n, i + by) - 1;
      to_names.push_back(joined(names[at(i)], names[at(last)]));
      const bool same =
          std::all_of(ranks.begin() + i, ranks.begin() + last + 1, [&](int r) { return r == ranks[at(i)]; });
      to_ranks.push_back(same ? ranks[at(i)] : -1);
    }
  };
  pool(map.row_names, map.row_ranks, out.row_names, out.row_ranks);
  pool(map.column_names, map.column_ranks, out.column_names, out.column_ranks);
  out.tiles.resize(at(out.rows() * out.columns()));
  std::vector<char> begun(out.tiles.size(), 0);
  for (std::int64_t r = 0; r < map.rows(); ++r) {
    for (std::int64_t c = 0; c < map.columns(); ++c) {
      const MaskTile& tile = map.tile(r, c);
      const std::size_t k = at(r / by * out.columns() + c / by);
      MaskTile& sum = out.tiles[k];
      sum.pairs += tile.pairs;
      sum.all += tile.all;
      sum.rank = begun[k] != 0 && sum.rank != tile.rank ? -1 : tile.rank;
      sum.step = begun[k] != 0 && sum.step != tile.step ? -1 : tile.step;
      begun[k] = 1;
    }
  }
  return out;
}

}  // namespace

std::int64_t MaskMap::pairs() const {
  std::int64_t n = 0;
  for (const MaskTile& tile : tiles) n += tile.pairs;
  return n;
}

MaskMap make_mask_map(const Plan& plan, const MaskMapRequest& request) {
  const Problem problem = one_item(plan.problem, request.batch);
  std::vector<Strip> rows = strips_by_position(plan.layout, Side::q);
  std::vector<Strip> columns = strips_by_position(plan.layout, Side::kv);
  MaskMap map;
  map.step = request.step;
  if (static_cast<std::int64_t>(std::max(rows.size(), columns.size())) > most_lines) {
    map.order = MaskMap::Order::blocks;
    rows = strips_by_block(plan.layout, Side::q);
    columns = strips_by_block(plan.layout, Side::kv);
  }
  for (const Strip& s : rows) {
    map.row_names.push_back(s.name);
    map.row_ranks.push_back(s.rank);
  }
  for (const Strip& s : columns) {
    map.column_names.push_back(s.name);
    map.column_ranks.push_back(s.rank);
  }
  const Layout layout = layout_of(rows, columns);
  const PairCounter counter(problem, layout);
  const std::vector<Doer> doers = doers_of(plan, request);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Doer doer = doers[at(static_cast<std::int64_t>(rows[r].block) * plan.layout.blocks() + columns[c].block)];
      map.tiles.push_back({counter.pairs(static_cast<int>(r), static_cast<int>(c)),
                           problem.batch * rows[r].rows.rows() * columns[c].rows.rows(), doer.rank, doer.step});
    }
  }
  const std::int64_t lines = std::max(map.rows(), map.columns());
  return lines > most_lines ? pooled(map, (lines + most_lines - 1) / most_lines) : map;
}

std::string total_sentence(const MaskMap& map) {
  return counted(map.pairs(), "allowed pair") + " of one head";
}

}  // namespace ringscope
