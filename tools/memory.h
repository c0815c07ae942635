// How much memory there is for a case.
#pragma once

namespace ringscope {

// Bytes that are free on this machine and in this control group; RINGSCOPE_MEMORY=64G says otherwise. 0: nobody knows.
// Throws Error(bad_request) where that variable is no size.
double free_memory_bytes();

}  // namespace ringscope
