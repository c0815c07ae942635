// Which check sees which fault: every fault planted into the cases of a suite until each check has been red.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/faults/checks.h"
#include "core/faults/fault.h"
#include "core/verify.h"

namespace ringscope {

// How near a check came to seeing a fault. The later, the nearer.
enum class Sight : std::uint8_t {
  never_met,         // the fault has a place in no case where the check is made
  no_numbers,        // the run ends before there are any
  alike,             // nothing that the check looks at changes
  within_tolerance,  // it changes, by less than the check allows
  caught
};

struct Cell {
  Sight sight = Sight::never_met;
  double margin = 0;      // of the first red case: error over tolerance
  std::string case_line;  // of it
};

struct FaultRow {
  const FaultKind* fault = nullptr;
  Cell proof, run;          // the plan is refused; the run ends with an error that names rank and step
  std::vector<Cell> cells;  // [table_checks()]
  // What `ringscope verify` says of the first case that is red.
  std::optional<Report> first_red;
};

// Runs right and wrong ones; keeps the right ones for the next row.
class FaultTable {
 public:
  FaultTable(std::vector<Case> cases, BackendFactory make_backend);
  FaultRow row(const FaultKind& fault);

 private:
  struct Clean {
    Plan plan;
    Reference reference;
    Outputs outputs;
    Report report;
  };
  const Clean& clean(std::size_t n, DataOfCheck data);
  void see(std::size_t n, DataOfCheck data, FaultRow& row);

  std::vector<Case> cases_;
  BackendFactory make_backend_;
  std::vector<std::unique_ptr<Clean>> clean_;  // [data][case]
  References references_;
};

}  // namespace ringscope
