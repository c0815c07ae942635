// The judgement of one run: verdict, error figures, the first place that differs, what it looks like, the repro line.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringscope {

enum class Verdict : std::uint8_t { passed, failed, mistrusted, skipped, invalid, faulted };
std::string_view name_of(Verdict verdict);

enum class Output : std::uint8_t { o, lse, dq, dk, dv };
inline constexpr int output_kinds = 5;
std::string_view name_of(Output output);  // "o", "lse", "dq", "dk", "dv"

struct Figures {
  bool present = false;
  Verdict verdict = Verdict::passed;
  double max_abs = 0;          // largest |x - ref| over elements finite in both
  double rel_fro = 0;          // ||x - ref|| / ||ref||, the same elements
  double ratio = 0;            // error over what the contract allows; > 1 fails
  double peak_ratio = 0;       // the worst row's error over what the contract allows for that row; > 1 fails
  std::int64_t nonfinite = 0;  // finite where it should not be, or the other way round
};

// -1: not known or not applicable.
struct Place {
  std::string check;  // "proof", "exact", "bounds", "baseline", "transport", ...
  int rank = -1, step = -1, kv_block = -1;
  std::optional<Output> output;
  std::int64_t batch = -1, head = -1, row = -1;  // global row; for dk and dv those of the key
};

// The known mistake whose recomputed outputs match the given ones.
struct Diagnosis {
  std::string name;      // as `list faults` and expected.json say it, with underscores
  bool certain = false;  // no other known mistake explains the outputs as well
  std::string evidence;  // one sentence
};

struct Report {
  std::string case_line;
  Verdict verdict = Verdict::passed;
  std::string reason;                         // a sentence; empty when passed, unless a planted fault was
  std::array<Figures, output_kinds> figures;  // by Output
  std::optional<Place> where;
  bool fault_unseen = false;           // passed in spite of a planted fault
  bool diagnosed = false;              // known mistakes were recomputed:
  std::optional<Diagnosis> diagnosis;  // then nothing here means no known pattern
  double seconds = 0;

  const Figures& of(Output output) const { return figures[static_cast<std::size_t>(output)]; }
  Figures& of(Output output) { return figures[static_cast<std::size_t>(output)]; }
};

struct Summary {
  std::int64_t passed = 0, failed = 0, mistrusted = 0, skipped = 0, invalid = 0, faulted = 0;
  std::int64_t fault_unseen = 0;  // of those that passed
  void add(const Report& report);
  // 4 faulted, else 1 failed or mistrusted, else 2 invalid, else 3 nothing passed or nothing saw a planted fault, else
  // 0
  int exit_code() const;
};

}  // namespace ringscope
