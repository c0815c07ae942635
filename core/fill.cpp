#include "core/fill.h"

#include "core/error.h"
#include "core/fill_kinds.h"

namespace ringscope {

namespace {

// By Fill.
constexpr std::array<const FillKind*, 5> kinds = {&random_fill, &needle_fill, &uniform_fill, &poison_fill,
                                                  &overflow_fill};

const FillKind& kind_of(Fill fill) {
  return *kinds[static_cast<std::size_t>(fill)];
}

}  // namespace

std::span<const FillInfo> fills() {
  static const std::array<FillInfo, 5> infos = {random_fill.info, needle_fill.info, uniform_fill.info, poison_fill.info,
                                                overflow_fill.info};
  return infos;
}

std::string_view name_of(Fill fill) {
  return kind_of(fill).info.name;
}

std::optional<std::string> refusal(const Problem& problem, Fill fill) {
  return kind_of(fill).refuse(problem);
}

Inputs make_inputs(const Problem& problem, Fill fill, std::uint64_t seed) {
  if (const auto reason = refusal(problem, fill)) {
    throw Error(ErrorKind::bad_request, "fill " + std::string(name_of(fill)), *reason, "or choose the fill random");
  }
  return kind_of(fill).make(problem, seed);
}

std::optional<ExactOutputs> exact_outputs(const Problem& problem, Fill fill, std::uint64_t seed, const Inputs& inputs) {
  return kind_of(fill).exact(problem, seed, inputs);
}

}  // namespace ringscope
