// What others call the tensors of a dump.
#pragma once
#include <string>
#include <string_view>

#include "formats/tensor_file.h"

namespace ringscope {

// The tensor of docs/formats.md that a name probably means: "out" is o, "grad_q" dq; empty: none, or the name is right.
std::string_view meant_by(std::string_view name);

// "`out` looks like o, `grad_q` like dq: save them under those names", of tensors whose right name the file lacks; or
// nothing. `wanted`: this one alone.
std::string misnamed(const TensorFile& file, std::string_view wanted = {});

}  // namespace ringscope
