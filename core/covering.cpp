#include "core/covering.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/index.h"

namespace ringscope {

namespace {

// Which pairs of levels have occurred, as bits.
class Pairs {
 public:
  explicit Pairs(const std::vector<int>& levels) : begin_(levels.size() + 1, 0) {
    std::partial_sum(levels.begin(), levels.end(), begin_.begin() + 1);
    size_ = at(begin_.back());
    covered_.assign(size_ * size_, false);
  }
  bool covered(LevelOf a, LevelOf b) const { return covered_[index(a) * size_ + index(b)]; }
  void mark(LevelOf a, LevelOf b) {
    covered_[index(a) * size_ + index(b)] = covered_[index(b) * size_ + index(a)] = true;
  }
  void mark(const Row& row) {
    for (int f = 0; f < static_cast<int>(row.size()); ++f) {
      for (int g = 0; g < f; ++g) mark({f, row[at(f)]}, {g, row[at(g)]});
    }
  }

 private:
  std::size_t index(LevelOf l) const { return at(begin_[at(l.factor)] + l.level); }

  std::vector<int> begin_;
  std::size_t size_ = 0;
  std::vector<bool> covered_;
};

class Coverer {
 public:
  explicit Coverer(const CoveringRequest& request) : r_(request), draws_(request.seed), pairs_(request.levels) {}

  CoveringRows run() {
    cover_pairs();
    for (const auto& factors : r_.triples) cover_triples(factors);
    constexpr int enough_misses = 20;  // in a row: there is hardly anything new left
    for (int misses = 0; rows() < r_.enough_rows && misses < enough_misses && !full();) {
      misses = add({}) ? 0 : misses + 1;
    }
    return std::move(out_);
  }

 private:
  int factors() const { return static_cast<int>(r_.levels.size()); }
  std::int64_t rows() const { return static_cast<std::int64_t>(out_.rows.size()); }
  bool full() const { return r_.most_rows > 0 && rows() >= r_.most_rows; }

  void cover_triples(const std::array<int, 3>& f) {
    std::vector<bool> covered(at(r_.levels[at(f[0])] * r_.levels[at(f[1])] * r_.levels[at(f[2])]), false);
    const auto index = [&](int a, int b, int c) { return at((a * r_.levels[at(f[1])] + b) * r_.levels[at(f[2])] + c); };
    for (const Row& row : out_.rows) covered[index(row[at(f[0])], row[at(f[1])], row[at(f[2])])] = true;
    for (int a = 0; a < r_.levels[at(f[0])]; ++a) {
      for (int b = 0; b < r_.levels[at(f[1])]; ++b) {
        for (int c = 0; c < r_.levels[at(f[2])]; ++c) {
          if (covered[index(a, b, c)] || full()) continue;
          if (!add({{f[0], a}, {f[1], b}, {f[2], c}})) {
            out_.impossible_triples.push_back({LevelOf{f[0], a}, {f[1], b}, {f[2], c}});
          }
        }
      }
    }
  }

  void cover_pairs() {
    for (int f = 0; f < factors(); ++f) {
      for (int g = 0; g < f; ++g) {
        for (int a = 0; a < r_.levels[at(f)]; ++a) {
          for (int b = 0; b < r_.levels[at(g)] && !full(); ++b) {
            if (pairs_.covered({f, a}, {g, b}) || add({{f, a}, {g, b}})) continue;
            out_.impossible_pairs.push_back({LevelOf{f, a}, {g, b}});
            pairs_.mark({f, a}, {g, b});  // nothing to gain there any more
          }
        }
      }
    }
  }

  // A new row with the fixed levels, if there is one.
  bool add(const std::vector<LevelOf>& fixed) {
    for (int attempt = 0; attempt < 40; ++attempt) {
      const auto row = row_with(fixed);
      if (!row || !r_.is_new(*row)) continue;
      pairs_.mark(*row);
      out_.rows.push_back(*row);
      return true;
    }
    return false;
  }

  std::optional<Row> row_with(const std::vector<LevelOf>& fixed) {
    Row row(at(factors()), -1);
    for (const LevelOf& l : fixed) row[at(l.factor)] = l.level;
    std::vector<int> order(at(factors()));
    std::iota(order.begin(), order.end(), 0);
    for (int i = factors() - 1; i > 0; --i) std::swap(order[at(i)], order[at(static_cast<int>(draws_.below(i + 1)))]);
    for (const int f : order) {
      if (row[at(f)] == -1) row[at(f)] = choose(row, f);
    }
    return r_.can_be(row) ? row : yielded(row, fixed);
  }

  // The level that covers most new pairs with what the row has already; ties by chance.
  int choose(const Row& row, int factor) {
    int best = 0, most = 0, ties = 0;
    for (int level = 0; level < r_.levels[at(factor)]; ++level) {
      int gain = 0;
      for (int g = 0; g < factors(); ++g) {
        if (row[at(g)] != -1 && !pairs_.covered({factor, level}, {g, row[at(g)]})) ++gain;
      }
      if (gain > most) ties = 0;
      if (gain < most) continue;
      most = gain;
      if (draws_.one_in(++ties)) best = level;
    }
    const bool rather_neutral =
        most == 0 && std::find(r_.mostly_neutral.begin(), r_.mostly_neutral.end(), factor) != r_.mostly_neutral.end();
    return rather_neutral && !draws_.one_in(4) ? 0 : best;
  }

  // Factors yield one after the other until the row can be; then each takes its level back if it can.
  std::optional<Row> yielded(const Row& wanted, const std::vector<LevelOf>& fixed) const {
    Row row = wanted;
    std::vector<int> gave;
    for (const int f : r_.yielding) {
      const bool is_fixed = std::any_of(fixed.begin(), fixed.end(), [&](const LevelOf& l) { return l.factor == f; });
      if (is_fixed || row[at(f)] == 0) continue;
      row[at(f)] = 0;
      gave.push_back(f);
      if (r_.can_be(row)) return with_levels_back(row, wanted, gave);
    }
    return std::nullopt;
  }

  Row with_levels_back(Row row, const Row& wanted, const std::vector<int>& gave) const {
    for (auto f = gave.rbegin(); f != gave.rend(); ++f) {
      row[at(*f)] = wanted[at(*f)];
      if (!r_.can_be(row)) row[at(*f)] = 0;
    }
    return row;
  }

  const CoveringRequest& r_;
  Draws draws_;
  Pairs pairs_;
  CoveringRows out_;
};

}  // namespace

CoveringRows cover(const CoveringRequest& request) {
  return Coverer(request).run();
}

}  // namespace ringscope
