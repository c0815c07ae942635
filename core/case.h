// One line of text that names one run completely: `problem | recipe | backend | data`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/fill.h"
#include "core/problem.h"
#include "core/recipe.h"

namespace ringscope {

struct BackendChoice {
  std::string name = "cpu";  // cpu, cpu:naive, cpu:bitwise, cpu:plugin=FILE, cuda, ...
  int threads = 0;           // kernel threads per rank; 0: the backend chooses
  int tile = 0;              // rows and keys per tile; 0: the backend chooses
  int link_mb = 0;           // megabytes a second from each rank to each other; 0: messages arrive at once
  bool operator==(const BackendChoice&) const = default;
};

// fault=NAME@rR,tT; -1: the seed picks.
struct FaultChoice {
  std::string name;
  int rank = -1, step = -1;
  bool operator==(const FaultChoice&) const = default;
};

struct Case {
  Problem problem;
  Recipe recipe;
  BackendChoice backend;
  Fill fill = Fill::random;
  std::uint64_t seed = 0;
  FaultChoice fault;  // empty name: none
  bool operator==(const Case&) const = default;
};

// The same case without what is the default anyway: a backward style that the schedule has unasked; a fault by
// its own spelling.
Case canonical(Case c);
// Throws Error(bad_request) where the parts of a case cannot go together.
void validate(const Case& c);

// Words in any order inside a field; trailing fields may be left off. Throws Error(bad_request) with what was got, what
// is allowed and the nearest right word. The result is valid: problem, recipe and fill can go together.
Case parse_case(std::string_view line);
// The canonical line; parse_case(to_line(c)) == c.
std::string to_line(const Case& c);
// The problem field alone, as schedule files carry it.
std::string problem_line(const Problem& problem);
Problem parse_problem(std::string_view field);

}  // namespace ringscope
