// Numeric faults of joining States: a row meets another block of keys, or what another rank made of them.
#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "core/element_type.h"
#include "core/faults/places.h"

namespace ringscope {

namespace {

using Join = std::function<void(const StateRow<double>& running, const PartState& part)>;

FaultKind merge_fault(std::string_view name, std::string_view sentence, Join join) {
  FaultKind kind{name, sentence, FaultFamily::numeric};
  kind.spread = FaultSpread::everywhere;
  kind.sites = joins();
  kind.mishap = [join = std::move(join)](const Plan&) {
    Mishap mishap;
    mishap.join = join;
    return mishap;
  };
  return kind;
}

// Merges rightly where one side has no keys.
bool is_identity(const StateRow<double>& running, const PartState& part) {
  return running.is_empty() || part.m == no_score<double>;
}

void merge(const StateRow<double>& running, const PartState& part) {
  running.merge(part.m, part.l, part.o.data());
}

// The LSE comes out right, O with each side's share given to the other.
void swap_weights(const StateRow<double>& running, const PartState& part) {
  if (is_identity(running, part)) return merge(running, part);
  const double m = std::max(running.m, part.m);
  const double mine = running.l * math::exp(running.m - m), theirs = part.l * math::exp(part.m - m);
  for (std::int64_t d = 0; d < running.dim_v; ++d) {
    running.o[d] = theirs * (running.o[d] / running.l) + mine * (part.o[static_cast<std::size_t>(d)] / part.l);
  }
  running.m = m;
  running.l = mine + theirs;
}

double& at(double* o, std::int64_t d) {
  return o[d];
}
double at(std::span<const double> o, std::int64_t d) {
  return o[static_cast<std::size_t>(d)];
}

// m and l merge rightly; O becomes l times join(old output, the part's output) and so comes out as that.
template <class JoinOutputs>
Join outputs_joined(JoinOutputs join) {
  return [join](const StateRow<double>& running, const PartState& part) {
    if (is_identity(running, part)) return merge(running, part);
    const std::vector<double> mine(running.o, running.o + running.dim_v);
    const double my_l = running.l;
    merge(running, part);
    for (std::int64_t d = 0; d < running.dim_v; ++d) {
      at(running.o, d) = running.l * join(at(std::span(mine), d) / my_l, at(part.o, d) / part.l, part.parts_before);
    }
  };
}

enum class Rescale { nothing, l_alone, o_alone };

// What the running State held is not brought to the new maximum.
Join forgetting(Rescale kept) {
  return [kept](const StateRow<double>& running, const PartState& part) {
    if (is_identity(running, part)) return merge(running, part);
    const double m = std::max(running.m, part.m), factor = math::exp(running.m - m), weight = math::exp(part.m - m);
    const double of_l = kept == Rescale::l_alone ? factor : 1, of_o = kept == Rescale::o_alone ? factor : 1;
    running.m = m;
    running.l = running.l * of_l + weight * part.l;
    for (std::int64_t d = 0; d < running.dim_v; ++d)
      at(running.o, d) = at(running.o, d) * of_o + weight * at(part.o, d);
  };
}

void add_states(const StateRow<double>& running, const PartState& part) {
  if (is_identity(running, part)) return merge(running, part);
  running.m = std::max(running.m, part.m);
  running.l += part.l;
  for (std::int64_t d = 0; d < running.dim_v; ++d) at(running.o, d) += at(part.o, d);
}

void merge_twice(const StateRow<double>& running, const PartState& part) {
  merge(running, part);
  merge(running, part);
}

// O and l through log(1 + exp(x)) in the range of fp32, which overflows from x = 88.7 on.
void merge_by_exp_of_difference(const StateRow<double>& running, const PartState& part) {
  if (is_identity(running, part)) return merge(running, part);
  const double mine = running.m + math::log(running.l), theirs = part.m + math::log(part.l);
  const double share = 1 / (1 + static_cast<double>(static_cast<float>(math::exp(mine - theirs))));
  const double lse = mine + math::log(1 + static_cast<double>(static_cast<float>(math::exp(theirs - mine))));
  for (std::int64_t d = 0; d < running.dim_v; ++d) {
    at(running.o, d) = at(running.o, d) / running.l * (1 - share) + at(part.o, d) / part.l * share;
  }
  running.m = lse;
  running.l = 1;
}

// exp(-inf - -inf) where a block leaves a row without keys.
void merge_without_guard(const StateRow<double>& running, const PartState& part) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (part.m != no_score<double>) return merge(running, part);
  running.l = nan;
  for (std::int64_t d = 0; d < running.dim_v; ++d) at(running.o, d) = nan;
}

// The part's LSE is to base 2 and is taken for a natural logarithm.
void merge_base_2(const StateRow<double>& running, const PartState& part) {
  if (is_identity(running, part)) return merge(running, part);
  const double lse = part.m + math::log(part.l);
  PartState other = part;
  other.m = part.m + lse / math::log(2.0) - lse;
  merge(running, other);
}

void round_partials(const StateRow<double>& running, const PartState& part) {
  merge(running, part);
  if (running.is_empty()) return;
  for (std::int64_t d = 0; d < running.dim_v; ++d) {
    at(running.o, d) = round_to(ElementType::bf16, at(running.o, d) / running.l) * running.l;
  }
}

void round_statistics(const StateRow<double>& running, const PartState& part) {
  merge(running, part);
  if (running.is_empty()) return;
  running.l = round_to(ElementType::bf16, running.l);
}

}  // namespace

std::vector<FaultKind> merge_faults() {
  std::vector<FaultKind> kinds{
      merge_fault("merge-weights-swapped", "two blocks' outputs are merged with each other's weights", swap_weights),
      merge_fault("no-rescale", "the running sum and output are not rescaled when the maximum grows",
                  forgetting(Rescale::nothing)),
      merge_fault("no-rescale-of-o", "the running output is not rescaled when the maximum grows",
                  forgetting(Rescale::l_alone)),
      merge_fault("no-rescale-of-l", "the running sum is not rescaled when the maximum grows",
                  forgetting(Rescale::o_alone)),
      merge_fault("merge-no-rescale", "States of blocks are merged without rescaling", add_states),
      merge_fault("merge-average", "the blocks' outputs are averaged instead of weighted",
                  outputs_joined([](double mine, double part, int n) { return (n * mine + part) / (n + 1); })),
      merge_fault("merge-sum", "the blocks' outputs are added without weights",
                  outputs_joined([](double mine, double part, int) { return mine + part; })),
      merge_fault("merge-last-block", "the output is the last block's alone",
                  outputs_joined([](double, double part, int) { return part; })),
      merge_fault("merge-range", "blocks are merged by log(1 + exp(x)), which overflows in fp32",
                  merge_by_exp_of_difference),
      merge_fault("merge-base-2", "a block's LSE to base 2 is merged as a natural logarithm", merge_base_2),
      merge_fault("partials-16-bit", "the running output is rounded to 16 bits after each step", round_partials),
      merge_fault("sum-16-bit", "the running sum is rounded to 16 bits after each step", round_statistics),
  };
  FaultKind twice = merge_fault("ring-block-twice", "a rank merges one KV block twice", merge_twice);
  twice.spread = FaultSpread::one_place;
  kinds.push_back(twice);
  FaultKind guard =
      merge_fault("empty-block-nan", "a block that leaves a row without keys makes it NaN", merge_without_guard);
  guard.sites = joins_with_empty_rows();
  kinds.push_back(guard);
  return kinds;
}

}  // namespace ringscope
