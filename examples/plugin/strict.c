/* A kernel with a mistake, on purpose: under its hands a row never sees its own key. The rest is loops.c, whose
 * functions this file is built with under the names right_*. Ringscope says: it is strict_causal, or, under a mask that
 * is not causal, own_key_missing. */
#include <stdlib.h>

#include "backends/cpu/plugin_api.h"

const RingscopePluginInfo* right_plugin_info(void);
int right_forward(const RingscopeBlock* block);
int right_backward(const RingscopeBlock* block);

/* The row's spans without its own key, written from `out` on; returns where they end. */
static RingscopeSpan* without_own_key(const RingscopeBlock* b, int64_t row, RingscopeSpan* out) {
  for (int64_t s = b->first_span[row]; s < b->first_span[row + 1]; ++s) {
    RingscopeSpan span = b->spans[s];
    for (int32_t key = span.begin; key < span.end; ++key) {
      if (b->k_position[key] != b->q_position[row]) continue;
      if (span.begin < key) *out++ = (RingscopeSpan){span.begin, key};
      span.begin = key + 1;
    }
    if (span.begin < span.end) *out++ = span;
  }
  return out;
}

static int run(int (*right)(const RingscopeBlock*), const RingscopeBlock* b) {
  const size_t most = (size_t)(b->first_span[b->rows] + b->rows);
  RingscopeSpan* spans = malloc(most * sizeof *spans);
  int64_t* first_span = malloc((size_t)(b->rows + 1) * sizeof *first_span);
  RingscopeSpan* end = spans;
  for (int64_t row = 0; row < b->rows; ++row) {
    first_span[row] = end - spans;
    end = without_own_key(b, row, end);
  }
  first_span[b->rows] = end - spans;
  RingscopeBlock wrong = *b;
  wrong.spans = spans;
  wrong.first_span = first_span;
  const int code = right(&wrong);
  free(first_span);
  free(spans);
  return code;
}

const RingscopePluginInfo* ringscope_plugin_info(void) {
  static RingscopePluginInfo info;
  info = *right_plugin_info();
  info.name = "strict, by mistake";
  return &info;
}

int ringscope_forward(const RingscopeBlock* block) {
  return run(right_forward, block);
}
int ringscope_backward(const RingscopeBlock* block) {
  return run(right_backward, block);
}
