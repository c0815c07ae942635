// The oracle of what is not yet complete: one row's State, dQ, dK or dV after some parts only, in fp64.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "core/data.h"
#include "core/dense_rows.h"
#include "core/parts_held.h"
#include "core/report.h"

namespace ringscope {

class PartialRows {
 public:
  // Keeps references: all must outlive it.
  PartialRows(const Plan& plan, const Inputs& inputs, const Outputs& oracle);

  // The row's values after `parts`, as an output of that kind would be: o and lse of a State are normalised, dq and dk
  // stay turned under RoPE. `row` is the place's global row, and so are batch and head.
  std::vector<double> values(Output output, std::int64_t batch, std::int64_t head, std::int64_t row,
                             std::span<const Part> parts);

 private:
  struct Weight {
    double score = 0, steepness = 1, kept = 1;  // kept: the factor of dropout
  };
  template <class Visit>  // visit(key)
  void for_each_key_of(std::int64_t batch, std::int64_t row, int kv_block, Visit&& visit) const;
  Weight weight(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t key);
  // dS of one pair (docs/math.md), with the final LSE and delta.
  double d_score(std::int64_t batch, std::int64_t head, std::int64_t row, std::int64_t key, const Weight& weight);
  std::vector<double> of_state(Output output, std::int64_t batch, std::int64_t head, std::int64_t row,
                               std::span<const Part> parts);
  std::vector<double> of_query(std::int64_t batch, std::int64_t head, std::int64_t row, std::span<const Part> parts);
  std::vector<double> of_key(Output output, std::int64_t batch, std::int64_t head, std::int64_t row,
                             std::span<const Part> parts);

  const Plan& plan_;
  const Inputs& inputs_;
  const Outputs& oracle_;
  MaskRows mask_;
  Scorer<double> scorer_;
  Array<double> q_, k_;  // turned
};

}  // namespace ringscope
