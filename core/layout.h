// Which rank owns which global token positions, in which local order, cut into blocks.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringscope {

struct Problem;

// Positions begin + a * stride + b for a < count, b < width, in that order; strictly increasing.
struct Range {
  std::int64_t begin = 0, count = 0, stride = 0, width = 0;
  std::int64_t size() const { return count * width; }
  std::int64_t position(std::int64_t local) const { return begin + local / width * stride + local % width; }
  std::int64_t last() const { return position(size() - 1); }
  // How many of its positions are < p: so its rows with positions in [lo, hi) are [count_below(lo), count_below(hi)).
  std::int64_t count_below(std::int64_t p) const;
  bool operator==(const Range&) const = default;
};

// The rows of one block: ranges in local order; local rows are numbered through them.
class BlockRows {
 public:
  BlockRows() = default;
  explicit BlockRows(std::vector<Range> ranges);  // ranges without positions are left out

  std::int64_t rows() const { return rows_; }
  std::span<const Range> ranges() const { return ranges_; }
  std::int64_t position(std::int64_t local_row) const;
  std::vector<std::int64_t> positions() const;
  std::int64_t lowest() const { return lowest_; }    // smallest position; only with rows
  std::int64_t highest() const { return highest_; }  // largest position; only with rows
  bool operator==(const BlockRows&) const = default;

 private:
  std::vector<Range> ranges_;
  std::int64_t rows_ = 0, lowest_ = 0, highest_ = 0;
};

enum class Side : std::uint8_t { q, kv };

// Block b belongs to rank b / blocks_per_rank, on both sides.
struct Layout {
  int ranks = 1;
  int blocks_per_rank = 1;
  std::vector<BlockRows> q, kv;  // [ranks * blocks_per_rank]

  int blocks() const { return ranks * blocks_per_rank; }
  int owner(int block) const { return block / blocks_per_rank; }
  const BlockRows& block(Side side, int b) const { return (side == Side::q ? q : kv)[static_cast<std::size_t>(b)]; }
  std::int64_t rows(Side side, int b) const { return block(side, b).rows(); }
  bool operator==(const Layout&) const = default;

  // Throws Error(bad_request) unless every position below len_q and len_kv has exactly one owner.
  void validate(std::int64_t len_q, std::int64_t len_kv) const;
};

// The layout words of a case line.
struct LayoutSpec {
  std::string name = "contiguous";
  std::int64_t stripe = 1;  // striped=16
  std::string file, hash;   // custom=FILE#hash
  bool operator==(const LayoutSpec&) const = default;
};

using Shard = std::vector<Range>;  // the rows of one rank

// One way of dealing `len` tokens to `ranks`; `documents` are boundaries in the side's own positions.
struct CutRequest {
  std::int64_t len = 0;
  int ranks = 1;
  std::int64_t stripe = 1;
  std::vector<std::int64_t> documents;
};
struct LayoutKind {
  std::string_view name, sentence;
  std::function<std::vector<Shard>(const CutRequest&)> cut;
  bool takes_stripe = false;  // striped=16
};
std::span<const LayoutKind> layout_kinds();  // custom is not among them: it is read from a file

// The layout of a problem: both sides cut the same way, each shard in 1 or 2 blocks (2: every range halved).
Layout make_layout(const LayoutSpec& spec, const Problem& problem, int ranks, int blocks_per_rank);
// Cuts shards that are already dealt; what make_layout and custom files share.
Layout layout_from_shards(std::span<const Shard> q, std::span<const Shard> kv, int blocks_per_rank);

// Custom layout files: lines `rank R q|kv begin:count:stride:width ...` (docs/schedules.md). Errors name line and
// column.
std::string layout_text(const Layout& layout);
Layout parse_layout_text(std::string_view text, int ranks);

}  // namespace ringscope
