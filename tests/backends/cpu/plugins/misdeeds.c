/* Kernels that do nothing but one misdeed each: CMake builds this file once for every MISDEED it names. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include "backends/cpu/plugin_api.h"

static void set(const RingscopeBlock* b, const void* array, int64_t at, double value) {
  if (b->bytes_per_real == 8) {
    ((double*)array)[at] = value;
  } else {
    ((float*)array)[at] = (float)value;
  }
}

int crash(const RingscopeBlock* b) {
  return *(volatile int*)(intptr_t)(b->rows - b->rows);
}
int divide_by_zero(const RingscopeBlock* b) {
  return raise(SIGFPE) + (int)b->rows * 0;
}
int call_abort(const RingscopeBlock* b) {
  return b->rows > 0 ? (abort(), 0) : 0;
}
int call_exit(const RingscopeBlock* b) {
  return b->rows > 0 ? (_Exit(7), 0) : 0;
}
int overflow_stack(const RingscopeBlock* b) {
  volatile char much[4096];
  much[0] = (char)b->rows;
  return much[0] == 0 ? 0 : overflow_stack(b) + much[0];
}
int overrun(const RingscopeBlock* b) {
  return set(b, b->o, (b->rows - 1) * b->stride_v + b->dim_v, 1), 0;
}
int overrun_l(const RingscopeBlock* b) {
  return set(b, b->l, b->rows, 1), 0;
}
int overrun_far(const RingscopeBlock* b) {
  return set(b, b->o, b->rows * b->stride_v + 3, 1), 0;
}
int underrun(const RingscopeBlock* b) {
  return set(b, b->o, -1, 1), 0;
}
int underrun_far(const RingscopeBlock* b) {
  return set(b, b->o, -1500, 1), 0;
}
int change_input(const RingscopeBlock* b) {
  return set(b, b->k, 0, 1), 0;
}
int give_nan(const RingscopeBlock* b) {
  return set(b, b->o, 0, NAN), 0;
}
int give_infinity(const RingscopeBlock* b) {
  return set(b, b->l, 0, INFINITY), 0;
}
int give_error(const RingscopeBlock* b) {
  return b->rows > 0 ? 3 : 0;
}
int never_return(const RingscopeBlock* b) {
  for (volatile int64_t n = 0; n < b->rows; n = 0) {
  }
  return 0;
}
int do_nothing(const RingscopeBlock* b) {
  return b == NULL;
}

const RingscopePluginInfo* ringscope_plugin_info(void) {
  static const RingscopePluginInfo info = {RINGSCOPE_PLUGIN_API, RINGSCOPE_FLOAT | RINGSCOPE_DOUBLE, "misdeed"};
  return &info;
}

int ringscope_forward(const RingscopeBlock* block) {
  return MISDEED(block);
}
