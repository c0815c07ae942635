#include "core/layout.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/problem.h"
#include "core/text_file.h"

namespace ringscope {

std::int64_t Range::count_below(std::int64_t p) const {
  if (size() == 0 || p <= begin) return 0;
  if (count == 1 || stride == 0) return std::min(p - begin, width);
  const std::int64_t whole = std::min((p - begin) / stride, count - 1);
  return whole * width + std::min(p - begin - whole * stride, width);
}

BlockRows::BlockRows(std::vector<Range> ranges) : ranges_(std::move(ranges)) {
  std::erase_if(ranges_, [](const Range& r) { return r.size() == 0; });
  for (const Range& r : ranges_) {
    lowest_ = rows_ == 0 ? r.begin : std::min(lowest_, r.begin);
    highest_ = rows_ == 0 ? r.last() : std::max(highest_, r.last());
    rows_ += r.size();
  }
}

std::int64_t BlockRows::position(std::int64_t local_row) const {
  for (const Range& r : ranges_) {
    if (local_row < r.size()) return r.position(local_row);
    local_row -= r.size();
  }
  ensure(false, "a local row lies inside its block");
  return 0;
}

std::vector<std::int64_t> BlockRows::positions() const {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(rows_));
  for (const Range& r : ranges_) {
    for (std::int64_t a = 0; a < r.count; ++a) {
      for (std::int64_t b = 0; b < r.width; ++b) out.push_back(r.begin + a * r.stride + b);
    }
  }
  return out;
}

namespace {

// The first `keep` positions of a range and the rest; an arbitrary cut leaves at most two ranges on each side.
std::pair<Shard, Shard> split(const Range& r, std::int64_t keep) {
  if (keep >= r.size()) return {{r}, {}};
  const std::int64_t whole = keep / r.width, part = keep % r.width;
  const std::int64_t at = r.begin + whole * r.stride;
  Shard head, tail;
  if (whole > 0) head.push_back({r.begin, whole, r.stride, r.width});
  if (part == 0) {
    tail.push_back({at, r.count - whole, r.stride, r.width});
    return {head, tail};
  }
  head.push_back({at, 1, 0, part});
  tail.push_back({at + part, 1, 0, r.width - part});
  if (whole + 1 < r.count) tail.push_back({at + r.stride, r.count - whole - 1, r.stride, r.width});
  return {head, tail};
}

// Every range is halved, not the local order: so half a zigzag shard is still balanced.
std::pair<Shard, Shard> halve(const Shard& shard) {
  Shard first, second;
  std::int64_t odd = 0;  // an odd row goes to the first half and the second half by turns
  for (const Range& r : shard) {
    const std::int64_t keep = (r.size() + odd) / 2;
    odd = (r.size() + odd) % 2;
    auto [head, tail] = split(r, keep);
    if (keep == 0) std::tie(head, tail) = std::pair<Shard, Shard>{{}, {r}};
    first.insert(first.end(), head.begin(), head.end());
    second.insert(second.end(), tail.begin(), tail.end());
  }
  return {first, second};
}

std::vector<BlockRows> blocks_of(std::span<const Shard> shards, int blocks_per_rank) {
  std::vector<BlockRows> out;
  for (const Shard& shard : shards) {
    if (blocks_per_rank == 1) {
      out.emplace_back(shard);
      continue;
    }
    auto [first, second] = halve(shard);
    out.emplace_back(std::move(first));
    out.emplace_back(std::move(second));
  }
  return out;
}

// Marks positions one range at a time, so that a wrong file costs no more than the tokens it may name.
class Owners {
 public:
  Owners(std::int64_t len, const char* side) : owned_(static_cast<std::size_t>(len), false), side_(side) {}

  void add(const Range& r) {
    for (std::int64_t a = 0; a < r.count; ++a) {
      for (std::int64_t b = 0; b < r.width; ++b) add(r.begin + a * r.stride + b);
    }
  }
  void require_all() const {
    const auto missing = std::find(owned_.begin(), owned_.end(), false);
    if (missing != owned_.end()) refuse(missing - owned_.begin(), " without owner");
  }

 private:
  void add(std::int64_t p) {
    const auto len = static_cast<std::int64_t>(owned_.size());
    if (p < 0 || p >= len) {
      throw Error(ErrorKind::bad_request, std::string(side_) + " position " + std::to_string(p),
                  "positions from 0 to " + std::to_string(len - 1));
    }
    if (owned_[static_cast<std::size_t>(p)]) refuse(p, " twice");
    owned_[static_cast<std::size_t>(p)] = true;
  }
  [[noreturn]] void refuse(std::int64_t p, const char* how) const {
    throw Error(ErrorKind::bad_request, std::string(side_) + " position " + std::to_string(p) + how,
                "exactly one owner for each position");
  }

  std::vector<bool> owned_;
  const char* side_;
};

void require_each_position_once(const std::vector<BlockRows>& blocks, std::int64_t len, const char* side) {
  Owners owners(len, side);
  for (const BlockRows& block : blocks) {
    for (const Range& r : block.ranges()) owners.add(r);
  }
  owners.require_all();
}

// Boundaries of the documents on one side, ends included, so that every position lies in some piece.
std::vector<std::int64_t> documents_on(const Mask& mask, std::int64_t len, std::int64_t offset) {
  std::vector<std::int64_t> ends;
  for (const std::int64_t d : mask.docs) ends.push_back(std::clamp<std::int64_t>(d - offset, 0, len));
  return ends;
}

std::string hash_text(std::string_view text) {
  std::uint64_t h = 14695981039346656037ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  const char* digits = "0123456789abcdef";
  std::string out;
  for (int i = 60; i >= 0; i -= 4) out += digits[(h >> i) & 15];
  return out;
}

Layout custom_layout(const LayoutSpec& spec, const Problem& problem, int ranks) {
  const std::string text = read_text_file(spec.file);
  if (!spec.hash.empty() && spec.hash != hash_text(text)) {
    throw Error(ErrorKind::bad_file, "custom=" + spec.file + " with hash " + hash_text(text), "hash " + spec.hash,
                "the file has changed: leave the hash off, or bring the old file back");
  }
  return in_file(spec.file, [&] {
    Layout layout = parse_layout_text(text, ranks);
    layout.validate(problem.len_q, problem.len_kv);
    return layout;
  });
}

}  // namespace

void Layout::validate(std::int64_t len_q, std::int64_t len_kv) const {
  ensure(blocks_per_rank >= 1 && ranks >= 1, "a layout has ranks and blocks");
  ensure(static_cast<int>(q.size()) == blocks() && static_cast<int>(kv.size()) == blocks(), "one BlockRows per block");
  require_each_position_once(q, len_q, "query");
  require_each_position_once(kv, len_kv, "key");
}

Layout layout_from_shards(std::span<const Shard> q, std::span<const Shard> kv, int blocks_per_rank) {
  ensure(q.size() == kv.size(), "both sides have the same ranks");
  ensure(blocks_per_rank == 1 || blocks_per_rank == 2, "one or two blocks per rank");
  return {static_cast<int>(q.size()), blocks_per_rank, blocks_of(q, blocks_per_rank), blocks_of(kv, blocks_per_rank)};
}

Layout make_layout(const LayoutSpec& spec, const Problem& problem, int ranks, int blocks_per_rank) {
  if (spec.name == "custom") {
    Layout layout = custom_layout(spec, problem, ranks);
    if (layout.blocks_per_rank == blocks_per_rank) return layout;
    if (layout.blocks_per_rank != 1) {
      throw Error(ErrorKind::bad_request, spec.file + " with two blocks per rank",
                  "one block per rank for this schedule");
    }
    std::vector<Shard> q, kv;
    for (const BlockRows& b : layout.q) q.emplace_back(b.ranges().begin(), b.ranges().end());
    for (const BlockRows& b : layout.kv) kv.emplace_back(b.ranges().begin(), b.ranges().end());
    return layout_from_shards(q, kv, blocks_per_rank);
  }
  const auto kinds = layout_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const LayoutKind& k) { return k.name == spec.name; });
  if (kind == kinds.end())
    throw Error(ErrorKind::bad_request, "layout " + spec.name, "a layout of `ringscope list layouts`");
  const std::int64_t offset = problem.mask_rows().key_position(0);
  const std::vector<Shard> q =
      kind->cut({problem.len_q, ranks, spec.stripe, documents_on(problem.mask, problem.len_q, offset)});
  const std::vector<Shard> kv =
      kind->cut({problem.len_kv, ranks, spec.stripe, documents_on(problem.mask, problem.len_kv, 0)});
  return layout_from_shards(q, kv, blocks_per_rank);
}

}  // namespace ringscope
