/* Without ringscope_forward(). */
#include "backends/cpu/plugin_api.h"

const RingscopePluginInfo* ringscope_plugin_info(void) {
  static const RingscopePluginInfo info = {RINGSCOPE_PLUGIN_API, RINGSCOPE_FLOAT, "half"};
  return &info;
}
