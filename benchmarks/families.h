// What the program measures; each function registers a family, names are FAMILY/word=value/...
#pragma once

namespace ringscope::bench {

void register_peaks();    // peak/...: floating point operations per second of fused multiply-adds alone
void register_kernels();  // kernel/...: the kernels, forward and backward
void register_ranks();    // ranks/...: threaded ranks against one rank on the same cores
void register_proofs();   // proof/...: building and proving plans

}  // namespace ringscope::bench
