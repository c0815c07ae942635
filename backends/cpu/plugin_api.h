/* Your own attention kernel under every schedule, layout and mask of Ringscope: `cpu:plugin=./mine.so`.
 *
 *   cc -std=c99 -O2 -shared -fPIC -I <ringscope> mine.c -o mine.so -lm
 *   ringscope verify --suite smoke --backend cpu:plugin=./mine.so
 *
 * C99, no other header of Ringscope. Positions, masks, RoPE, moves, merges, the final division by l and delta are
 * Ringscope's; a kernel meets one block of queries and one block of keys of one head. docs/plugin.md tells the rest. */
#ifndef RINGSCOPE_PLUGIN_API_H
#define RINGSCOPE_PLUGIN_API_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RINGSCOPE_PLUGIN_API 1

/* What a kernel supports, or-ed; cases that need more are skipped. The scale and the mask's spans always apply. */
#define RINGSCOPE_FLOAT 1u  /* f32, bf16, f16 and e4m3: all reals are float */
#define RINGSCOPE_DOUBLE 2u /* f64: all reals are double */
#define RINGSCOPE_SOFTCAP 4u
#define RINGSCOPE_ALIBI 8u
#define RINGSCOPE_DROPOUT 16u

typedef struct {
  int32_t api; /* RINGSCOPE_PLUGIN_API */
  uint32_t supports;
  const char* name; /* "my kernel", for reports */
} RingscopePluginInfo;

/* Keys [begin, end) of the block. */
typedef struct {
  int32_t begin, end;
} RingscopeSpan;

/* Row r of q begins at q + r * stride_qk, in elements; d < dim_qk. Matrices [rows, dim] begin at multiples of 64 bytes,
 * and so do their rows; what lies between a row's end and the next row is not yours. Only arrays named "in and out" may
 * be written, and only where they have elements. Pointers that a pass does not need are null. */
typedef struct {
  int32_t bytes_per_real;        /* 4: every real is a float; 8: a double */
  int32_t threads, tile;         /* what the case line asks for; 0: choose */
  int32_t batch, head;           /* of this call, counted in the whole problem; head counts query heads */
  int64_t rows, keys;            /* of this block of queries, of this block of keys; both > 0 */
  int64_t dim_qk, dim_v;         /* head dims */
  int64_t stride_qk, stride_v;   /* of q, k, dq, dk; of v, o, d_o, dv */
  int64_t stride_keep;           /* of keep */
  const int64_t* q_position;     /* [rows]  p: where the row stands among all keys */
  const int64_t* k_position;     /* [keys]  j; ALiBi adds alibi_slope * (j - p) */
  const int64_t* first_span;     /* [rows + 1]  row r sees the keys of spans[first_span[r]] up to, not including, */
  const RingscopeSpan* spans;    /*             spans[first_span[r + 1]]: ascending, apart, none for an unseeing row */
  double scale;                  /* s = scale * q.k */
  double softcap;                /* then s = softcap * tanh(s / softcap), unless 0 */
  double alibi_slope;            /* then s += alibi_slope * (j - p), unless 0 */
  const void* keep;              /* [rows, keys]  dropout: 0 or 1 / (1 - probability), times p beside v; or null */
  const void *q, *k, *v;         /* [rows, dim_qk], [keys, dim_qk], [keys, dim_v] */
  void *m, *l, *o;               /* forward, in and out: [rows], [rows], [rows, dim_v]. m = max s, l = sum exp(s - m),
                                    o = sum exp(s - m) keep v; before the first key m = -inf, l = 0, o = 0 */
  const void *d_o, *lse, *delta; /* backward: [rows, dim_v], [rows], [rows]; p = exp(s - lse) */
  void *dq, *dk, *dv;            /* backward, in and out, added to: [rows, dim_qk], [keys, dim_qk], [keys, dim_v].
                                    dv += p keep d_o; ds = p (keep d_o.v - delta) ds/d(q.k); dq += ds k; dk += ds q */
} RingscopeBlock;

/* A shared library exports these three; without the last, cases with a backward are skipped. What a call returns other
 * than 0 is an error of the kernel. K and V that no row sees may be NaN. Calls come one at a time, from one thread. */
const RingscopePluginInfo* ringscope_plugin_info(void);
int ringscope_forward(const RingscopeBlock* block);
int ringscope_backward(const RingscopeBlock* block);

#ifdef __cplusplus
}
#endif
#endif
