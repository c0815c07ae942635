#include "formats/dump_foreign.h"

namespace ringscope {

Foreign foreign_of(const Dump& dump) {
  Foreign out;
  out.problem = dump.problem;
  out.q = dump.q.read_head, out.k = dump.k.read_head, out.v = dump.v.read_head;
  if (dump.d_o) out.d_o = dump.d_o->read_head;
  for (std::size_t n = 0; n < dump.outputs.size(); ++n) {
    if (dump.outputs[n]) out.outputs[n] = {dump.outputs[n]->read_head, dump.outputs[n]->type};
  }
  out.terms.alibi_slope = dump.alibi_slopes;
  out.terms.sink_logit = dump.sinks;
  out.terms.dropout_seed = dump.dropout_seed;
  out.empty_lse = dump.empty_lse, out.empty_o = dump.empty_o;
  return out;
}

}  // namespace ringscope
