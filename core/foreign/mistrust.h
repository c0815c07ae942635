// When a pass would say nothing about somebody else's outputs, or hide an error in them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/foreign/foreign_judge.h"

namespace ringscope {

// A sentence: a head that errs when it is judged alone, or nothing that could have failed. Of outputs none of which is
// wrong.
std::optional<std::string> mistrust_of(const Judged& judged);

// What the inputs cannot show although the verdict stands, in sentences.
std::vector<std::string> weak_sides(const Judged& judged);

}  // namespace ringscope
