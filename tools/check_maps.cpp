#include "tools/check_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringscope {

namespace {

constexpr double least_share = 0.05, explains_all = 0.99;

// "t1.r2.b0.dk" -> "dk"
std::string kind_of(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

double ratio_of(const TensorDiff& d) {
  return d.nonfinite > 0 ? std::numeric_limits<double>::infinity() : d.ratio;
}

// What stands for "o and lse" in words.
std::string name_of_shares(Output output) {
  return output == Output::o ? "o and lse" : std::string(name_of(output));
}

RankCell cell_of(double taken, double explained) {
  const double off = std::abs(taken - 1);
  RankCell cell{off / least_share, fmt::format("{:.2f}", std::abs(taken) < 0.005 ? 0.0 : taken), {}};
  cell.words = off < 0.005 ? "taken once, as it should be" : fmt::format("taken {} times", cell.label);
  if (explained >= explains_all || std::isnan(explained)) return cell;
  cell.ratio = -1;
  cell.words += fmt::format(" at best: whole shares explain only {:.0f} % of the error", 100 * explained);
  return cell;
}

}  // namespace

std::vector<RankMap> step_maps(const std::vector<TensorDiff>& steps) {
  int ranks = 0;
  for (const TensorDiff& d : steps) ranks = std::max(ranks, d.rank + 1);
  std::vector<RankMap> maps;
  for (const char* kind : {"o", "lse", "dq", "dk", "dv"}) {
    std::int64_t columns = 0;
    for (const TensorDiff& d : steps) {
      if (kind_of(d.name) == kind) columns = std::max<std::int64_t>(columns, d.step + 1);
    }
    if (columns == 0) continue;
    RankMap map{kind, "step", {}, columns, {}};
    for (int r = 0; r < ranks; ++r) map.ranks.push_back(fmt::format("rank {}", r));
    map.cells.resize(static_cast<std::size_t>(ranks * columns));
    for (const TensorDiff& d : steps) {
      if (kind_of(d.name) != kind) continue;
      double& ratio = map.cells[static_cast<std::size_t>(d.rank * columns + d.step)].ratio;
      ratio = std::max(ratio, ratio_of(d));
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

std::vector<RankMap> share_maps(const std::vector<BlockShares>& shares) {
  std::vector<RankMap> maps;
  for (const BlockShares& s : shares) {
    const bool of_keys = s.output == Output::dk || s.output == Output::dv;
    RankMap map{name_of_shares(s.output), of_keys ? "query rank" : "KV rank", {}, s.ranks, {}};
    for (int r = 0; r < s.ranks; ++r) {
      const double explained = s.explained[static_cast<std::size_t>(r)];
      map.ranks.push_back(fmt::format("rank {}", r));
      map.remarks.push_back(std::isnan(explained) ? "" : fmt::format("{:.0f} % of its error", 100 * explained));
      for (int other = 0; other < s.ranks; ++other) {
        const double taken = s.taken[static_cast<std::size_t>(r * s.ranks + other)];
        if (std::isnan(taken)) {
          map.cells.push_back({});
          continue;
        }
        map.cells.push_back(cell_of(taken, explained));
      }
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace ringscope
