// A dump as the judge and the diagnosis read it.
#pragma once
#include "core/foreign/foreign.h"
#include "formats/dump.h"

namespace ringscope {

// Reads through the dump's files, which must live as long.
Foreign foreign_of(const Dump& dump);

}  // namespace ringscope
