// The checks of the fault table (docs/validator.md): those of `ringscope verify` one by one, and weak ones that people
// use instead.
#pragma once
#include <functional>
#include <span>
#include <string_view>

#include "core/case.h"
#include "core/compare.h"

namespace ringscope {

// One run, with a fault or without.
struct Sighting {
  const Problem& problem;
  const Reference& reference;
  const Outputs& given;
  const Report& report;  // of `given`
};

enum class DataOfCheck : std::uint8_t { of_case, d_o_is_one };

struct CheckKind {
  std::string_view name, sentence;
  bool is_weak = false;
  DataOfCheck data = DataOfCheck::of_case;
  std::function<bool(const Case&)> is_made;                         // in such a case
  std::function<double(const Sighting&)> margin;                    // error over tolerance; above 1 is red
  std::function<bool(const Outputs&, const Outputs&)> looks_alike;  // what the check looks at has the same bits
};

// Of what comes out; the proof of the plan and the end of the run are checks too, but look at no numbers.
std::span<const CheckKind> table_checks();

}  // namespace ringscope
