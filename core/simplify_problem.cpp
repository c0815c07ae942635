// Simpler problems: shapes, masks, score terms, types.
#include <algorithm>
#include <array>

#include "core/simplify.h"

namespace ringscope {

namespace {

using Numbers = std::vector<std::int64_t>;

void append(std::vector<Case>& cases, const std::vector<Case>& more) {
  cases.insert(cases.end(), more.begin(), more.end());
}

// Mask words that say positions are cut to the keys that are left.
void set_lengths(Case& c, std::int64_t len_q, std::int64_t len_kv) {
  c.problem.len_q = len_q;
  c.problem.len_kv = len_kv;
  Mask& mask = c.problem.mask;
  if (mask.prefix) mask.prefix = std::min(*mask.prefix, len_kv);
  for (std::int64_t& len : mask.kv_lens) len = std::min(len, len_kv);
  if (mask.docs.empty()) return;
  for (std::int64_t& bound : mask.docs) bound = std::min(bound, len_kv);
  mask.docs.erase(std::unique(mask.docs.begin(), mask.docs.end()), mask.docs.end());
  if (mask.docs.size() < 2) mask.docs = {0, len_kv};
}

std::vector<Case> shorter_both(const Case& c) {
  const std::int64_t shorter = std::min(c.problem.len_q, c.problem.len_kv);
  Numbers lengths = numbers_below(shorter, 1);
  lengths.push_back(shorter);
  return with_each(c, lengths, [](Case& s, std::int64_t n) { set_lengths(s, n, n); });
}

std::vector<Case> shorter_queries(const Case& c) {
  return with_each(c, numbers_below(c.problem.len_q, 1),
                   [](Case& s, std::int64_t n) { set_lengths(s, n, s.problem.len_kv); });
}

std::vector<Case> shorter_keys(const Case& c) {
  return with_each(c, numbers_below(c.problem.len_kv, 1),
                   [](Case& s, std::int64_t n) { set_lengths(s, s.problem.len_q, n); });
}

// The first items stay, or one of them alone.
std::vector<Case> fewer_batch_items(const Case& c) {
  const auto& lens = c.problem.mask.kv_lens;
  std::vector<Case> cases;
  for (const std::int64_t len : lens) {
    if (c.problem.batch == 1) break;
    cases.push_back(c);
    cases.back().problem.batch = 1;
    cases.back().problem.mask.kv_lens = {len};
  }
  append(cases, with_each(c, numbers_below(c.problem.batch, 1), [](Case& s, std::int64_t n) {
           s.problem.batch = n;
           if (!s.problem.mask.kv_lens.empty()) s.problem.mask.kv_lens.resize(static_cast<std::size_t>(n));
         }));
  return cases;
}

std::vector<Case> fewer_heads(const Case& c) {
  auto cases = with_each(c, numbers_below(c.problem.heads_kv, 1), [](Case& s, std::int64_t n) {
    s.problem.heads_q = s.problem.group() * n;
    s.problem.heads_kv = n;
  });
  append(cases, with_each(c, numbers_below(c.problem.group(), 1),
                          [](Case& s, std::int64_t n) { s.problem.heads_q = s.problem.heads_kv * n; }));
  return cases;
}

std::vector<Case> smaller_dims(const Case& c) {
  const std::int64_t smaller = std::min(c.problem.dim_qk, c.problem.dim_v);
  Numbers dims = numbers_below(smaller, 1);
  dims.push_back(smaller);
  auto cases = with_each(c, dims, [](Case& s, std::int64_t n) { s.problem.dim_qk = s.problem.dim_v = n; });
  append(cases,
         with_each(c, numbers_below(c.problem.dim_qk, 1), [](Case& s, std::int64_t n) { s.problem.dim_qk = n; }));
  append(cases, with_each(c, numbers_below(c.problem.dim_v, 1), [](Case& s, std::int64_t n) { s.problem.dim_v = n; }));
  return cases;
}

std::vector<Case> fewer_mask_words(const Case& c) {
  std::vector<Case> cases(9, c);
  cases[0].problem.mask = Mask{};
  cases[1].problem.mask.causal = false;
  cases[2].problem.mask.prefix.reset();
  cases[3].problem.mask.window.reset();
  cases[4].problem.mask.docs.clear();
  cases[5].problem.mask.chunk = 0;
  cases[6].problem.mask.sinks = 0;
  cases[7].problem.mask.offset.reset();
  cases[8].problem.mask.kv_lens.clear();
  return cases;
}

// An unlimited side is simpler than any number.
void append_sides(std::vector<Case>& cases, const Case& c, std::int64_t Window::*side) {
  if (!c.problem.mask.window || (*c.problem.mask.window).*side < 0) return;
  Numbers numbers = numbers_below((*c.problem.mask.window).*side, 0);
  numbers.insert(numbers.begin(), -1);
  append(cases, with_each(c, numbers, [side](Case& s, std::int64_t n) { (*s.problem.mask.window).*side = n; }));
}

// A list that gets shorter, or whose numbers fall.
void append_lists(std::vector<Case>& cases, const Case& c, std::vector<std::int64_t> Mask::*list) {
  const auto& numbers = c.problem.mask.*list;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    cases.push_back(c);
    auto& shorter = cases.back().problem.mask.*list;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
    append(cases, with_each(c, numbers_below(numbers[i], 0),
                            [list, i](Case& s, std::int64_t n) { (s.problem.mask.*list)[i] = n; }));
  }
}

std::vector<Case> smaller_mask_numbers(const Case& c) {
  const Mask& mask = c.problem.mask;
  std::vector<Case> cases;
  append_sides(cases, c, &Window::left);
  append_sides(cases, c, &Window::right);
  append(cases, with_each(c, numbers_below(mask.prefix.value_or(0), 0),
                          [](Case& s, std::int64_t n) { s.problem.mask.prefix = n; }));
  append(cases, with_each(c, numbers_below(mask.sinks, 1), [](Case& s, std::int64_t n) { s.problem.mask.sinks = n; }));
  append(cases, with_each(c, numbers_below(mask.chunk, 1), [](Case& s, std::int64_t n) { s.problem.mask.chunk = n; }));
  const std::int64_t offset = mask.offset.value_or(0), sign = offset < 0 ? -1 : 1;
  append(cases, with_each(c, numbers_below(offset * sign, 0),
                          [sign](Case& s, std::int64_t n) { s.problem.mask.offset = sign * n; }));
  append_lists(cases, c, &Mask::docs);
  append_lists(cases, c, &Mask::kv_lens);
  return cases;
}

std::vector<Case> fewer_terms(const Case& c) {
  std::vector<Case> cases(7, c);
  cases[0].problem.terms = ScoreTerms{};
  cases[1].problem.terms.scale.reset();
  cases[2].problem.terms.softcap = 0;
  cases[3].problem.terms.alibi = false;
  cases[4].problem.terms.rope_base = 0;
  cases[5].problem.terms.sink_logit = false;
  cases[6].problem.terms.dropout = 0;
  return cases;
}

// The default first, then the exact ones, then what rounds more.
std::vector<Case> simpler_type(const Case& c) {
  using enum ElementType;
  std::vector<Case> cases;
  for (const ElementType type : std::array{f32, f64, bf16, f16, e4m3}) {
    if (type == c.problem.type) break;
    cases.push_back(c);
    cases.back().problem.type = type;
  }
  return cases;
}

}  // namespace

std::vector<Simplification> problem_simplifications() {
  return {fewer_terms,       fewer_mask_words, shorter_both, shorter_queries, shorter_keys,
          fewer_batch_items, fewer_heads,      smaller_dims, simpler_type,    smaller_mask_numbers};
}

}  // namespace ringscope
