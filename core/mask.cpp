#include "core/mask.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "core/error.h"

namespace ringscope {

namespace {

struct Document {
  std::int64_t begin = 0, end = 0;  // [begin, end); empty for positions outside all documents
};

// Outside positions get an empty document whose begin keeps lo and hi monotone.
Document document_of(const std::vector<std::int64_t>& docs, std::int64_t p) {
  const auto next = std::upper_bound(docs.begin(), docs.end(), p);
  if (next == docs.begin()) return {docs.front(), docs.front()};
  if (next == docs.end()) return {docs.back(), docs.back()};
  return {*(next - 1), *next};
}

constexpr std::int64_t longest = std::int64_t{1} << 40;

std::int64_t floor_to(std::int64_t p, std::int64_t n) {
  const std::int64_t r = p % n;
  return p - (r < 0 ? r + n : r);
}

[[noreturn]] void refuse(std::string got, std::string want, std::string fix = {}) {
  throw Error(ErrorKind::bad_request, std::move(got), std::move(want), std::move(fix));
}

std::string number(std::int64_t n) {
  return std::to_string(n);
}

void require_square(const char* word, std::int64_t len_q, std::int64_t len_kv) {
  if (len_q == len_kv) return;
  refuse(std::string(word) + " with s" + number(len_q) + "x" + number(len_kv), "Sq = Skv for " + std::string(word));
}

}  // namespace

void Mask::validate(std::int64_t batch, std::int64_t len_q, std::int64_t len_kv) const {
  const Window w = window.value_or(Window{});
  for (const std::int64_t n : {prefix.value_or(0), w.left, w.right, chunk, sinks, offset.value_or(0)}) {
    if (n > longest || n < -longest) refuse("a mask with " + number(n), "numbers up to 2^40");
  }
  if (prefix && (*prefix < 0 || *prefix > len_kv)) {
    refuse("prefix=" + number(*prefix), "0 <= prefix <= Skv = " + number(len_kv));
  }
  if (window && (window->left < -1 || window->right < -1)) {
    refuse("window=" + number(window->left) + "," + number(window->right),
           "window=L,R with L, R >= -1 (-1: unlimited)");
  }
  if (!docs.empty()) {
    require_square("docs", len_q, len_kv);
    if (docs.size() < 2) refuse("docs with one boundary", "at least two boundaries, like docs=0,50,128");
    if (std::adjacent_find(docs.begin(), docs.end(), std::greater_equal<>()) != docs.end()) {
      refuse("docs whose boundaries do not rise", "rising boundaries, like docs=0,50,128");
    }
    if (docs.front() < 0 || docs.back() > len_kv) {
      refuse("docs from " + number(docs.front()) + " to " + number(docs.back()),
             "boundaries between 0 and Skv = " + number(len_kv));
    }
  }
  if (chunk < 0) refuse("chunk=" + number(chunk), "chunk >= 1");
  if (chunk > 0) require_square("chunk", len_q, len_kv);
  if (sinks < 0) refuse("sinks=" + number(sinks), "sinks >= 0");
  if (!kv_lens.empty()) {
    if (static_cast<std::int64_t>(kv_lens.size()) != batch) {
      refuse("kv-lens with " + number(static_cast<std::int64_t>(kv_lens.size())) + " numbers",
             "one length for each of the " + number(batch) + " batch items");
    }
    for (const std::int64_t n : kv_lens) {
      if (n < 0 || n > len_kv) refuse("kv-lens=" + number(n), "lengths between 0 and Skv = " + number(len_kv));
    }
  }
}

MaskRows::MaskRows(Mask mask, std::int64_t len_q, std::int64_t len_kv)
    : mask_(std::move(mask)), len_kv_(len_kv), offset_(mask_.offset.value_or(len_kv - len_q)) {}

KeyInterval MaskRows::row(std::int64_t batch, std::int64_t i) const {
  const std::int64_t p = i + offset_;
  std::int64_t first = 0, hi = len_kv_;  // first: where the row's own document begins
  if (mask_.prefix) {
    hi = std::min(hi, std::max(*mask_.prefix, p + 1));
  } else if (mask_.causal) {
    hi = std::min(hi, p + 1);
  }
  if (!mask_.docs.empty()) {
    const Document doc = document_of(mask_.docs, p);
    hi = std::min(hi, doc.end);
    first = std::max(first, doc.begin);
  }
  if (mask_.chunk > 0) {
    const std::int64_t begin = floor_to(p, mask_.chunk);
    hi = std::min(hi, begin + mask_.chunk);
    first = std::max(first, begin);
  }
  if (!mask_.kv_lens.empty()) hi = std::min(hi, mask_.kv_lens[static_cast<std::size_t>(batch)]);
  std::int64_t lo = first;
  const std::int64_t hi_without_window = hi;
  if (mask_.window) {
    if (mask_.window->left >= 0) lo = std::max(lo, p - mask_.window->left);
    if (mask_.window->right >= 0) hi = std::min(hi, p + mask_.window->right + 1);
  }
  const std::int64_t sink_end = std::min({first + mask_.sinks, lo, hi_without_window});
  return {lo, std::max<std::int64_t>(hi, 0), first, std::max(sink_end, first)};
}

bool may_see(const Mask& mask, std::int64_t len_q, std::int64_t len_kv, std::int64_t batch, std::int64_t i,
             std::int64_t j) {
  const std::int64_t p = i + mask.offset.value_or(len_kv - len_q);
  std::int64_t first = 0;
  if (mask.prefix ? !(j <= p || j < *mask.prefix) : mask.causal && j > p) return false;
  if (!mask.docs.empty()) {
    bool together = false;
    for (std::size_t d = 0; d + 1 < mask.docs.size(); ++d) {
      const std::int64_t a = mask.docs[d], c = mask.docs[d + 1];
      if (a <= p && p < c && a <= j && j < c) {
        together = true;
        first = a;
      }
    }
    if (!together) return false;
  }
  if (mask.chunk > 0) {
    if (floor_to(p, mask.chunk) != floor_to(j, mask.chunk)) return false;
    first = std::max(first, floor_to(p, mask.chunk));
  }
  if (!mask.kv_lens.empty() && j >= mask.kv_lens[static_cast<std::size_t>(batch)]) return false;
  if (mask.window) {
    if (mask.window->right >= 0 && j > p + mask.window->right) return false;
    if (mask.window->left >= 0 && j < p - mask.window->left && j >= first + mask.sinks) return false;
  }
  return true;
}

}  // namespace ringscope
