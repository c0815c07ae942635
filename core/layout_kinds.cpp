// The layouts by name: how each deals the tokens of one side to the ranks.
#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"
#include "core/layout.h"

namespace ringscope {

namespace {

// Where piece i of n pieces begins when the first len mod n hold one more (NumPy's array_split).
std::int64_t piece_begin(std::int64_t len, std::int64_t n, std::int64_t i) {
  return i * (len / n) + std::min(i, len % n);
}

Range run(std::int64_t begin, std::int64_t end) {
  return {begin, 1, 0, end - begin};
}

std::vector<Shard> cut_contiguous(const CutRequest& r) {
  std::vector<Shard> out;
  for (int rank = 0; rank < r.ranks; ++rank) {
    out.push_back({run(piece_begin(r.len, r.ranks, rank), piece_begin(r.len, r.ranks, rank + 1))});
  }
  return out;
}

// Stripes of k tokens dealt round the ranks, the last one possibly short.
std::vector<Shard> cut_striped(const CutRequest& r) {
  const std::int64_t k = r.stripe, whole = r.len / k, rest = r.len % k;
  std::vector<Shard> out;
  for (std::int64_t rank = 0; rank < r.ranks; ++rank) {
    const std::int64_t mine = whole > rank ? (whole - rank + r.ranks - 1) / r.ranks : 0;
    Shard shard;
    if (mine > 0) shard.push_back({rank * k, mine, r.ranks * k, k});
    if (rest > 0 && whole % r.ranks == rank) shard.push_back(run(whole * k, r.len));
    out.push_back(shard);
  }
  return out;
}

// 2N chunks of [begin, end): rank r gets chunk r and chunk 2N-1-r (Llama 3 report, section 3.3.2).
void deal_zigzag(std::int64_t begin, std::int64_t end, std::vector<Shard>& shards) {
  const std::int64_t n = 2 * static_cast<std::int64_t>(shards.size());
  const auto at = [&](std::int64_t i) { return begin + piece_begin(end - begin, n, i); };
  for (std::int64_t r = 0; r < n / 2; ++r) {
    Shard& shard = shards[static_cast<std::size_t>(r)];
    shard.push_back(run(at(r), at(r + 1)));
    shard.push_back(run(at(n - 1 - r), at(n - r)));
  }
}

std::vector<Shard> cut_zigzag(const CutRequest& r) {
  std::vector<Shard> out(static_cast<std::size_t>(r.ranks));
  deal_zigzag(0, r.len, out);
  return out;
}

std::vector<Shard> cut_zigzag_docs(const CutRequest& r) {
  std::vector<std::int64_t> ends = r.documents;
  ends.push_back(0);
  ends.push_back(r.len);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<Shard> out(static_cast<std::size_t>(r.ranks));
  for (std::size_t d = 0; d + 1 < ends.size(); ++d) deal_zigzag(ends[d], ends[d + 1], out);
  return out;
}

}  // namespace

std::span<const LayoutKind> layout_kinds() {
  static const std::array<LayoutKind, 4> kinds{{
      {"contiguous", "rank r owns the r-th of N equal runs of tokens", cut_contiguous},
      {"zigzag", "2N chunks; rank r owns chunks r and 2N-1-r, so that a causal mask leaves all ranks the same work",
       cut_zigzag},
      {"striped", "stripes of k tokens (striped=k, 1 if not said) dealt round the ranks", cut_striped, true},
      {"zigzag-docs", "zigzag inside each document of docs=", cut_zigzag_docs},
  }};
  return kinds;
}

}  // namespace ringscope
