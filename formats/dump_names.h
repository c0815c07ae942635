// Names in a dump: what others call its tensors, and what it holds beside them.
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

// What could change the scores and means nothing here, joined by commas: a bias, a misspelt key. Tensors of steps
// (`t1.r2.o`) mean something beside a case.
enum class Steps { known, unknown };
std::string names_not_read(const TensorFile& file, Steps steps);

}  // namespace ringscope
