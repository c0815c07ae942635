/* Ends the process that loads it. */
#include <stdlib.h>

#include "backends/cpu/plugin_api.h"

const RingscopePluginInfo* ringscope_plugin_info(void) {
  abort();
}

int ringscope_forward(const RingscopeBlock* block) {
  return block->rows > 0;
}
