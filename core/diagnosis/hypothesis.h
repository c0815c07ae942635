// The mistakes a diagnosis knows by name: each recomputes what the outputs would be, for each place it could be at.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data.h"
#include "core/foreign/evidence.h"

namespace ringscope {

struct Guess {
  std::string detail;  // the place or the number that this guess assumes; may be empty
  Outputs outputs;
};
using Offer = std::function<void(Guess)>;

struct Hypothesis {
  std::string_view name;      // with underscores, as expected.json and the faults have it
  std::string_view sentence;  // what the mistake is
  std::function<void(const Evidence&, const Offer&)> guess;
  bool explains_one_element = false;  // else one wrong number does not make it certain
};

// One file per family.
std::vector<Hypothesis> mask_hypotheses();
std::vector<Hypothesis> score_hypotheses();
std::vector<Hypothesis> merge_hypotheses();
std::vector<Hypothesis> ring_hypotheses();
std::vector<Hypothesis> gradient_hypotheses();
std::vector<Hypothesis> output_hypotheses();

// All of them; of equally good ones the earlier is named.
std::span<const Hypothesis> hypotheses();

}  // namespace ringscope
