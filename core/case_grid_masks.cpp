// The masks that suites choose from.
#include "core/case_grid.h"

namespace ringscope {

namespace {

// Mask words with values that fit the lengths.
void causal(Case& c) {
  c.problem.mask.causal = true;
}
void prefix(Case& c) {
  c.problem.mask.prefix = c.problem.len_kv / 3;
}
void window_left(Case& c) {
  c.problem.mask.window = Window{c.problem.len_kv / 4, 0};
}
void window_both(Case& c) {
  c.problem.mask.window = Window{5, c.problem.len_kv / 5};
}
void window_right(Case& c) {
  c.problem.mask.window = Window{-1, 3};
}
void docs(Case& c) {
  const std::int64_t s = c.problem.len_kv;
  c.problem.mask.docs = {0, s / 3, s - s / 4, s};
}
void some_docs(Case& c) {
  const std::int64_t s = c.problem.len_kv;
  c.problem.mask.docs = {s / 8, s / 2, s - s / 8};
}
void chunk(Case& c) {
  c.problem.mask.chunk = c.problem.len_kv / 3 + 1;
}
void sinks(Case& c) {
  c.problem.mask.sinks = 2;
}
void offset_top_left(Case& c) {
  c.problem.mask.offset = 0;
}
void offset_ahead(Case& c) {
  c.problem.mask.offset = c.problem.len_kv / 4;
}
void offset_behind(Case& c) {
  c.problem.mask.offset = -2;
}
void kv_lens(Case& c) {
  c.problem.mask.kv_lens.clear();
  for (std::int64_t b = 0; b < c.problem.batch; ++b) c.problem.mask.kv_lens.push_back(c.problem.len_kv - 1 - 3 * b);
}

Level mask_of(std::string label, std::vector<void (*)(Case&)> words) {
  return {std::move(label), [words = std::move(words)](Case& c) {
            for (const auto word : words) word(c);
          }};
}

}  // namespace

std::vector<Level> mask_levels() {
  return {mask_of("full", {}),
          mask_of("causal", {causal}),
          mask_of("prefix", {prefix}),
          mask_of("window L,0", {window_left}),
          mask_of("window L,R", {window_both}),
          mask_of("window -1,R", {window_right}),
          mask_of("docs", {docs}),
          mask_of("docs with gaps", {some_docs}),
          mask_of("chunk", {chunk}),
          mask_of("sinks", {sinks}),
          mask_of("offset 0", {offset_top_left}),
          mask_of("kv-lens", {kv_lens}),
          mask_of("causal offset", {causal, offset_top_left}),
          mask_of("causal offset ahead", {causal, offset_ahead}),
          mask_of("causal offset behind", {causal, offset_behind}),
          mask_of("causal kv-lens", {causal, kv_lens}),
          mask_of("causal docs", {causal, docs}),
          mask_of("causal chunk", {causal, chunk}),
          mask_of("causal window sinks", {causal, window_both, sinks}),
          mask_of("window sinks kv-lens", {window_left, sinks, kv_lens}),
          mask_of("docs window sinks", {docs, window_left, sinks}),
          mask_of("docs chunk prefix", {some_docs, chunk, prefix}),
          mask_of("chunk sinks window", {chunk, sinks, window_left}),
          mask_of("offset window sinks", {offset_ahead, window_left, sinks}),
          mask_of("prefix window sinks", {prefix, window_both, sinks}),
          mask_of("prefix offset kv-lens", {prefix, offset_behind, kv_lens}),
          mask_of("docs offset kv-lens", {docs, offset_ahead, kv_lens}),
          mask_of("causal prefix chunk", {causal, prefix, chunk}),
          mask_of("chunk offset kv-lens", {chunk, offset_ahead, kv_lens})};
}

}  // namespace ringscope
