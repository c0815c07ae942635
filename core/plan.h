// All that a backend is given.
#pragma once
#include "core/layout.h"
#include "core/problem.h"
#include "core/schedule.h"

namespace ringscope {

struct Plan {
  Problem problem;
  Layout layout;
  Schedule schedule;

  std::int64_t rows(const Slice& slice) const;
  // What the slice weighs on a link: storage type for Q, KV, O, dO; accumulator_bytes for the rest.
  std::int64_t bytes(const Slice& slice) const;
  bool operator==(const Plan&) const = default;
};

}  // namespace ringscope
