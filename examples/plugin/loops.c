/* An attention kernel in plain loops, for Ringscope: all sums in double, whatever the type of the arrays.
 *   cc -std=c99 -O2 -shared -fPIC -I <ringscope> loops.c -o loops.so -lm */
#include <math.h>

#include "backends/cpu/plugin_api.h"

static double get(const RingscopeBlock* b, const void* array, int64_t at) {
  return b->bytes_per_real == 8 ? ((const double*)array)[at] : ((const float*)array)[at];
}

static void put(const RingscopeBlock* b, void* array, int64_t at, double value) {
  if (b->bytes_per_real == 8) {
    ((double*)array)[at] = value;
  } else {
    ((float*)array)[at] = (float)value;
  }
}

static void add(const RingscopeBlock* b, void* array, int64_t at, double value) {
  put(b, array, at, get(b, array, at) + value);
}

static double dot(const RingscopeBlock* b, const void* x, int64_t x_row, const void* y, int64_t y_row, int64_t stride,
                  int64_t dim) {
  double sum = 0;
  for (int64_t d = 0; d < dim; ++d) sum += get(b, x, x_row * stride + d) * get(b, y, y_row * stride + d);
  return sum;
}

/* The score of a row and a key, and its derivative by q.k. */
static double score(const RingscopeBlock* b, int64_t row, int64_t key, double* derivative) {
  double s = b->scale * dot(b, b->q, row, b->k, key, b->stride_qk, b->dim_qk);
  *derivative = b->scale;
  if (b->softcap != 0) {
    const double t = tanh(s / b->softcap);
    s = b->softcap * t;
    *derivative *= 1 - t * t;
  }
  return s + b->alibi_slope * (double)(b->k_position[key] - b->q_position[row]);
}

static double kept(const RingscopeBlock* b, int64_t row, int64_t key) {
  return b->keep ? get(b, b->keep, row * b->stride_keep + key) : 1;
}

static void absorb(const RingscopeBlock* b, int64_t row, int64_t key, double* m, double* l) {
  double derivative;
  const double s = score(b, row, key, &derivative);
  const double larger = s > *m ? s : *m, rescale = exp(*m - larger), p = exp(s - larger);
  const double weight = p * kept(b, row, key);
  for (int64_t d = 0; d < b->dim_v; ++d) {
    const double o = get(b, b->o, row * b->stride_v + d) * rescale;
    put(b, b->o, row * b->stride_v + d, weight == 0 ? o : o + weight * get(b, b->v, key * b->stride_v + d));
  }
  *l = *l * rescale + p;
  *m = larger;
}

static void spread(const RingscopeBlock* b, int64_t row, int64_t key) {
  double derivative;
  const double p = exp(score(b, row, key, &derivative) - get(b, b->lse, row)), keep = kept(b, row, key);
  const double dp = keep * dot(b, b->d_o, row, b->v, key, b->stride_v, b->dim_v);
  const double ds = p * (dp - get(b, b->delta, row)) * derivative;
  for (int64_t d = 0; d < b->dim_v; ++d) {
    add(b, b->dv, key * b->stride_v + d, p * keep * get(b, b->d_o, row * b->stride_v + d));
  }
  for (int64_t d = 0; d < b->dim_qk; ++d) {
    add(b, b->dq, row * b->stride_qk + d, ds * get(b, b->k, key * b->stride_qk + d));
    add(b, b->dk, key * b->stride_qk + d, ds * get(b, b->q, row * b->stride_qk + d));
  }
}

const RingscopePluginInfo* ringscope_plugin_info(void) {
  static const RingscopePluginInfo info = {
      RINGSCOPE_PLUGIN_API,
      RINGSCOPE_FLOAT | RINGSCOPE_DOUBLE | RINGSCOPE_SOFTCAP | RINGSCOPE_ALIBI | RINGSCOPE_DROPOUT, "loops in C"};
  return &info;
}

int ringscope_forward(const RingscopeBlock* b) {
  for (int64_t row = 0; row < b->rows; ++row) {
    double m = get(b, b->m, row), l = get(b, b->l, row);
    for (int64_t s = b->first_span[row]; s < b->first_span[row + 1]; ++s) {
      for (int64_t key = b->spans[s].begin; key < b->spans[s].end; ++key) absorb(b, row, key, &m, &l);
    }
    put(b, b->m, row, m);
    put(b, b->l, row, l);
  }
  return 0;
}

int ringscope_backward(const RingscopeBlock* b) {
  for (int64_t row = 0; row < b->rows; ++row) {
    for (int64_t s = b->first_span[row]; s < b->first_span[row + 1]; ++s) {
      for (int64_t key = b->spans[s].begin; key < b->spans[s].end; ++key) spread(b, row, key);
    }
  }
  return 0;
}
