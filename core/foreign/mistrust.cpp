#include "core/foreign/mistrust.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/element_type.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

template <class Visit>  // visit(output, judged output)
void for_each_present(const Judged& judged, Visit&& visit) {
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    if (judged.of(output).figures.present) visit(output, judged.of(output));
  }
}

// The names of the outputs that `holds` is true of: "o, dv".
template <class Holds>  // holds(output, judged output)
std::string names(const Judged& judged, Holds&& holds) {
  std::string out;
  for_each_present(judged, [&](Output output, const JudgedOutput& x) {
    if (holds(output, x)) out += (out.empty() ? "" : ", ") + std::string(name_of(output));
  });
  return out;
}

template <class Holds>
bool all(const Judged& judged, Holds&& holds) {
  return names(judged, [&](Output output, const JudgedOutput& x) { return !holds(output, x); }).empty();
}

bool has_no_number(Output, const JudgedOutput& x) {
  return x.judged == 0;
}
bool zeros_would_pass(Output, const JudgedOutput& x) {
  return x.judged == 0 || x.zeros_would_pass;
}

std::string of_head(Output output, const Alone& head) {
  const double times = std::max(head.ratio / most_ratio, head.peak_ratio / most_peak_ratio);
  return std::string(name_of(output)) + " of batch " + std::to_string(head.batch) + ", head " +
         std::to_string(head.head) + ", judged alone, errs by " + text_of(std::round(times)) +
         " times what a right kernel may; other heads, whose values or scores are far larger, hide it in the whole";
}

// Of outputs none of which shows anything.
std::string nothing_tested(const Judged& judged) {
  const std::string zeros = names(judged, zeros_would_pass);
  if (zeros.empty()) return "v is the same in all rows, so o is v whatever the weights, and nothing was tested";
  const bool o_is_v = !all(judged, zeros_would_pass);
  return std::string(o_is_v ? "v is the same in all rows, so o is v whatever the weights, and " : "") +
         "zeros instead of " + zeros + " would pass, so nothing was tested";
}

// "dk: 3 values overflow f16 (largest exact value 70000 > 65504): ..."
std::string overflow_sentence(Output output, const JudgedOutput& x) {
  const double most = largest_finite(x.type);
  const std::string largest = text_of(static_cast<double>(static_cast<float>(x.most_overflow)));
  const bool beyond = x.most_overflow > most;
  return std::string(name_of(output)) + ": " + std::to_string(x.overflows) + " values overflow " +
         std::string(name_of(x.type)) + " (largest exact value " + largest +
         (beyond ? " > " : ", within rounding of ") + text_of(most) +
         "): infinity of their sign is right there, and says no more";
}

}  // namespace

std::optional<std::string> mistrust_of(const Judged& judged) {
  if (judged.no_pairs) return "no query may see any key, so nothing was computed";
  if (all(judged, has_no_number)) {
    const bool overflow = !names(judged, [](Output, const JudgedOutput& x) { return x.overflows > 0; }).empty();
    return overflow ? "no right output holds a number: all values overflow the types of the file"
                    : "no right output holds a number, since the inputs are NaN or infinite";
  }
  std::optional<std::string> hidden;
  for_each_present(judged, [&](Output output, const JudgedOutput& x) {
    if (x.hidden && !hidden) hidden = of_head(output, *x.hidden);
  });
  if (hidden) return hidden;
  const auto says_nothing = [&](Output output, const JudgedOutput& x) {
    return zeros_would_pass(output, x) || (output == Output::o && judged.o_is_v);
  };
  if (!all(judged, says_nothing)) return std::nullopt;
  const std::string sentence = nothing_tested(judged);
  constexpr double beyond_sums = 1e5;  // a unit roundoff of fp32 is a hundredth of a weight
  if (judged.largest_score < beyond_sums) return sentence;
  return sentence + "; scores reach " + text_of(std::round(judged.largest_score)) +
         ", where rounding decides which key wins";
}

std::vector<std::string> weak_sides(const Judged& judged) {
  std::vector<std::string> out;
  static constexpr std::array<std::string_view, input_kinds> input_names{"q", "k", "v", "do"};
  for (std::size_t n = 0; n < input_names.size(); ++n) {
    const NotNumbers& x = judged.not_numbers[n];
    if (x.count == 0) continue;
    out.push_back(std::string(input_names[n]) + " holds " + std::to_string(x.count) +
                  " elements that are NaN or infinite, the first at batch " + std::to_string(x.batch) + ", head " +
                  std::to_string(x.head) + ", row " + std::to_string(x.row) + ", element " + std::to_string(x.element));
  }
  if (judged.no_pairs) return out;
  if (judged.zero_scores) out.emplace_back("q or k is 0 everywhere: all scores are 0, so the scale is not tested");
  if (judged.zero_v) {
    out.emplace_back("v is 0 everywhere, so o is 0 whatever the weights");
  } else if (judged.constant_v) {
    out.emplace_back("v is the same in all rows, so o does not show which keys were seen");
  }
  if (judged.constant_d_o) out.emplace_back("do is the same in all rows, so the gradients show little");
  const std::string nothing = names(judged, zeros_would_pass);
  if (!nothing.empty() && !all(judged, zeros_would_pass)) {
    out.push_back("zeros instead of " + nothing + " would pass: a pass says nothing there");
  }
  const std::string added = names(judged, [](Output, const JudgedOutput& x) { return x.added_in_storage; });
  if (!added.empty()) {
    out.push_back("the errors of " + added +
                  " are those of a group of query heads whose gradients are rounded and added one after " +
                  "another in the type of the file: allowed, but smaller errors do not show");
  }
  for_each_present(judged, [&](Output output, const JudgedOutput& x) {
    if (x.overflows > 0) out.push_back(overflow_sentence(output, x));
    const std::int64_t others = x.size - x.judged - x.overflows;
    if (output == Output::lse || x.judged == 0 || others <= 0) return;  // lse of empty rows is -inf by nature
    out.push_back(std::to_string(others) + " of " + std::to_string(x.size) + " elements of " +
                  std::string(name_of(output)) + " are NaN or infinite in the right answer too, and say nothing");
  });
  return out;
}

}  // namespace ringscope
