#include "pictures/counts_table.h"

#include <algorithm>
#include <numeric>

#include "core/numbers.h"
#include "pictures/words.h"

namespace ringscope {

namespace {

struct OnePass {
  std::string name;
  const PassFacts& facts;
};

std::vector<OnePass> passes_of(const ScheduleFacts& facts) {
  std::vector<OnePass> out{{"forward", facts.forward}};
  if (facts.has_backward) out.push_back({"backward", facts.backward});
  return out;
}

template <class Figure>
void add_row(Grid& grid, const std::string& name, const std::vector<OnePass>& passes, const Figure& figure) {
  std::vector<std::string> row{name};
  for (const OnePass& pass : passes) row.push_back(figure(pass.facts));
  grid.rows.push_back(std::move(row));
}

std::int64_t total_transfers(const PassFacts& facts) {
  return std::accumulate(facts.transfers.begin(), facts.transfers.end(), std::int64_t{0});
}

std::int64_t total_bytes(const PassFacts& facts) {
  std::int64_t n = 0;
  for (const LinkBytes& link : facts.links) n += link.bytes;
  return n;
}

std::int64_t pairs_of(const PassFacts& facts, std::size_t rank) {
  const std::vector<std::int64_t>& steps = facts.pairs[rank];
  return std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
}

std::int64_t all_pairs(const PassFacts& facts) {
  std::int64_t n = 0;
  for (std::size_t rank = 0; rank < facts.pairs.size(); ++rank) n += pairs_of(facts, rank);
  return n;
}

enum class Way { sent, received };

std::int64_t bytes_of(const PassFacts& facts, int rank, Way way) {
  std::int64_t n = 0;
  for (const LinkBytes& link : facts.links) n += (way == Way::sent ? link.from : link.to) == rank ? link.bytes : 0;
  return n;
}

Grid totals_grid(const std::vector<OnePass>& passes) {
  Grid grid{"transfers (slices that change rank) and totals", {""}, {}};
  for (const OnePass& pass : passes) grid.header.push_back(pass.name);
  for (int k = 0; k < tensor_kinds; ++k) {
    const bool any = std::any_of(passes.begin(), passes.end(),
                                 [&](const OnePass& p) { return p.facts.transfers[static_cast<std::size_t>(k)] > 0; });
    if (!any) continue;
    add_row(grid, std::string(name_of(static_cast<TensorKind>(k))), passes,
            [&](const PassFacts& f) { return grouped(f.transfers[static_cast<std::size_t>(k)]); });
  }
  add_row(grid, "all transfers", passes, [](const PassFacts& f) { return grouped(total_transfers(f)); });
  add_row(grid, "bytes", passes, [](const PassFacts& f) { return grouped(total_bytes(f)); });
  add_row(grid, "pairs", passes, [](const PassFacts& f) { return grouped(all_pairs(f)); });
  add_row(grid, "balance", passes, [](const PassFacts& f) { return fixed(balance(f), 4); });
  add_row(grid, "lockstep efficiency", passes, [](const PassFacts& f) { return fixed(lockstep_efficiency(f), 4); });
  return grid;
}

Grid ranks_grid(const ScheduleFacts& facts, const std::vector<OnePass>& passes) {
  Grid grid{"each rank", {"rank"}, {}};
  for (const OnePass& pass : passes) {
    const std::string suffix = pass.name == "forward" ? " fwd" : " bwd";
    for (const char* what : {"pairs", "sent", "got"}) grid.header.push_back(what + suffix);
  }
  grid.header.emplace_back("peak");
  for (std::size_t r = 0; r < facts.forward.pairs.size(); ++r) {
    std::vector<std::string> row{rank_name(static_cast<int>(r))};
    for (const OnePass& pass : passes) {
      row.push_back(grouped(pairs_of(pass.facts, r)));
      row.push_back(bytes_in_words(bytes_of(pass.facts, static_cast<int>(r), Way::sent)));
      row.push_back(bytes_in_words(bytes_of(pass.facts, static_cast<int>(r), Way::received)));
    }
    row.push_back(r < facts.peak_bytes.size() ? bytes_in_words(facts.peak_bytes[r]) : "");
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

Grid steps_grid(const OnePass& pass) {
  Grid grid{"pairs by rank and step, " + pass.name, {"rank"}, {}};
  for (std::size_t r = 0; r < pass.facts.pairs.size(); ++r) {
    std::vector<std::string> row{rank_name(static_cast<int>(r))};
    for (const std::int64_t pairs : pass.facts.pairs[r]) row.push_back(grouped(pairs));
    while (grid.header.size() < row.size()) grid.header.push_back(std::to_string(grid.header.size() - 1));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

}  // namespace

std::vector<Grid> counts_grids(const ScheduleFacts& facts) {
  const std::vector<OnePass> passes = passes_of(facts);
  std::vector<Grid> grids{totals_grid(passes), ranks_grid(facts, passes)};
  for (const OnePass& pass : passes) grids.push_back(steps_grid(pass));
  return grids;
}

Picture draw(const ScheduleFacts& facts) {
  return draw(counts_grids(facts), "Counts", "Exact integers from the proof; pairs are (query, key), all heads.");
}

Sheet write(const ScheduleFacts& facts) {
  Sheet sheet;
  for (const Grid& grid : counts_grids(facts)) {
    if (!sheet.lines.empty()) sheet.skip();
    sheet.append(write(grid));
  }
  return sheet;
}

}  // namespace ringscope
