// Is somebody else's output wrong, or only rounded? The rule of the data README (docs/numerics.md, "Tensors that others
// made"): wrong when it errs by more than 3 times what the yardstick errs, in norm, or 6 times in its largest element,
// or when values are finite where they should not be or the other way round.
//
// That rule looks at whole tensors, so one head of huge values hides the others: every row is judged by the reach of
// its own roundings as well, and every head as if it were alone ("Each row by itself").
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/foreign/foreign.h"

namespace ringscope {

inline constexpr double most_ratio = 3, most_peak_ratio = 6;
// A row is wrong whatever the whole says when it errs by more than this many times what rounding can explain.
inline constexpr double most_reach = 4;
// Of fewer elements the yardstick's error may be next to nothing by luck: there an error within reach is no mistake.
inline constexpr std::int64_t few_elements = 128;
// A head is doubtful when it, alone, would be wrong by this factor, with an error that is no single rounding.
inline constexpr double doubtful = 4, least_doubtful_reach = 0.25;

struct WrongRows {
  std::int64_t batch = 0, head = 0, row = 0;  // the first one; else, where none is above the tolerance, the worst one
  std::int64_t count = 0, of = 0;             // rows above the tolerance, rows in all
  // The first one stands out: twice above the tolerance, all rows before it below three quarters of it.
  bool sharp = false;
};

// One head judged as if there were no other.
struct Alone {
  std::int64_t batch = 0, head = 0;
  double ratio = 0, peak_ratio = 0;
  double reach = 0;  // its largest error over what rounding can explain
  bool is_doubtful() const;
};

struct JudgedOutput {
  Figures figures;                      // ratio and peak_ratio as the data README has them
  double divisor = 0;                   // of peak_ratio
  std::vector<double> row_errors;       // [B * H * S] the row's largest; infinite where finiteness differs
  std::vector<double> row_reach;        // [B * H * S] the row's largest error over what rounding can explain
  std::optional<WrongRows> wrong;       // when the verdict is failed or mistrusted
  std::optional<Alone> hidden;          // the head of `wrong`, when the whole tensor would have passed
  std::int64_t size = 0, judged = 0;    // elements in all; finite in the right output and in the file's type
  ElementType type = ElementType::f32;  // of the file
  std::int64_t overflows = 0;           // right values that the type does not hold: infinity is right there
  double most_overflow = 0;             // the largest of them
  bool added_in_storage = false;        // errs as a group does that is added head by head in the type of the file
  bool zeros_would_pass = false;        // whatever was given: then a pass says nothing
  double row_tolerance() const { return most_peak_ratio * divisor; }
};

// Elements of an input that are NaN or infinite, and the first of them.
struct NotNumbers {
  std::int64_t count = 0;
  std::int64_t batch = 0, head = 0, row = 0, element = 0;
};
enum class Input : std::uint8_t { q, k, v, d_o };
inline constexpr int input_kinds = 4;

struct Judged {
  std::array<JudgedOutput, output_kinds> outputs;  // by Output
  double largest_score = 0;
  std::array<NotNumbers, input_kinds> not_numbers;  // by Input
  // Inputs that make a right output say little, over every head.
  bool constant_v = true, constant_d_o = true;  // all rows of a head are the same
  bool zero_scores = true, zero_v = true;       // q or k, v is 0
  bool no_pairs = false;                        // no query may see any key
  bool o_is_v = false;                          // constant_v, and nothing but weights of sum 1 meets it
  // Why a pass would hide an error or say nothing (core/foreign/mistrust.h), where no output is wrong.
  std::optional<std::string> mistrust;

  Verdict verdict() const;
  // The first wrong output in the order o, lse, dq, dk, dv.
  std::optional<Output> first_wrong() const;
  const JudgedOutput& of(Output output) const { return outputs[static_cast<std::size_t>(output)]; }
};

struct JudgeOptions {
  int threads = 1;
  std::function<void(double fraction)> progress;  // called from the caller's thread while others work
};

Judged judge_foreign(const Foreign& foreign, const JudgeOptions& options);

}  // namespace ringscope
