// docs/validator.md: which check sees which fault, as `./dev faults` writes it.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "core/faults/fault_table.h"

namespace ringscope {

// The page's rows, one line each; tests compute some of them again.
std::string sight_line(const FaultRow& row);
std::string first_red_line(const FaultKind& fault, const Report& report);

// The smoke suite on cpu:bitwise.
FaultTable page_table();
// The whole page; `begun` is called before each fault.
std::string fault_page(FaultTable& table, const std::function<void(const FaultKind& fault)>& begun);

// Mistakes that a diagnosis knows and no fault makes.
struct WithoutFault {
  std::string_view name, why;
};
std::span<const WithoutFault> mistakes_without_fault();

}  // namespace ringscope
