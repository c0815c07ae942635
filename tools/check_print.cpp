#include "tools/check_print.h"

#include <fmt/format.h>

#include <cmath>

#include "core/case.h"
#include "formats/utf8.h"
#include "tools/check_probe.h"
#include "tools/terminal.h"

namespace ringscope {

namespace {

std::string number(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.3g}", x);
}

Emphasis emphasis_of(Verdict verdict) {
  return verdict == Verdict::passed ? Emphasis::good : Emphasis::bad;
}

void print_figures(const Judged& judged) {
  fmt::print("  {:<5}{:>11}{:>11}{:>11}{:>12}{:>11}\n", "", "max abs", "rel fro", "ratio", "peak ratio", "nonfinite");
  for (int n = 0; n < output_kinds; ++n) {
    const Figures& f = judged.of(static_cast<Output>(n)).figures;
    if (!f.present) continue;
    fmt::print("  {:<5}{:>11}{:>11}{:>11}{:>12}{:>11}  {}\n", name_of(static_cast<Output>(n)), number(f.max_abs),
               number(f.rel_fro), number(f.ratio), number(f.peak_ratio), f.nonfinite,
               inked(name_of(f.verdict), emphasis_of(f.verdict), stdout));
  }
}

std::string files_text(const std::vector<std::string>& paths) {
  constexpr std::size_t longest_name = 400;
  const std::string first = printable(paths.front(), longest_name);
  return paths.size() == 1 ? first : fmt::format("{} and {} more", first, paths.size() - 1);
}

}  // namespace

std::string problem_text(const Dump& dump) {
  std::string text = problem_line(dump.problem);
  if (!dump.alibi_slopes.empty()) text += ", slopes from the file";
  return text;
}

std::string place_text(const FirstWrong& first) {
  std::string text = fmt::format("{}[batch {}, head {}, row {}]", name_of(first.output), first.rows.batch,
                                 first.rows.head, first.rows.row);
  if (first.rank >= 0) text += fmt::format(" on rank {}, local row {}", first.rank, first.local_row);
  if (first.kv_block >= 0) text += fmt::format("; wrong is what the keys of rank {} add", first.kv_block);
  return text;
}

std::string step_text(const TensorDiff& first) {
  std::string text = fmt::format("first wrong step: {}, on rank {}: {}", first.step, first.rank, first.name);
  if (first.row >= 0) text += fmt::format(", batch {}, head {}, local row {}", first.batch, first.head, first.row);
  if (first.nonfinite > 0) return text + fmt::format("; {} elements are not finite", first.nonfinite);
  return text + fmt::format("; {:.3g} x what rounding explains", first.ratio);
}

std::string verdict_sentence(const CheckResult& result) {
  if (result.judged.mistrust) return *result.judged.mistrust;
  if (!result.first_wrong) {
    return fmt::format("no output errs more than a right kernel may: ratio at most {:g}, peak ratio at most {:g}",
                       most_ratio, most_peak_ratio);
  }
  const FirstWrong& first = *result.first_wrong;
  const JudgedOutput& output = result.judged.of(first.output);
  std::string rows = fmt::format("{} of {} rows of {} are above the tolerance", first.rows.count, first.rows.of,
                                 name_of(first.output));
  if (output.hidden) {
    rows = fmt::format(
        "the whole of {} would pass, since other values or scores are far larger; {} of its {} rows err "
        "by more than {:g} times what rounding can explain there",
        name_of(first.output), first.rows.count, first.rows.of, most_reach);
  }
  if (first.rows.sharp) return fmt::format("first wrong: {}; {}", place_text(first), rows);
  if (first.rows.count > 0 && first.rows.count * 10 <= first.rows.of) {
    return fmt::format("{} is wrong in few rows, close to the tolerance: {}, from {} on", name_of(first.output), rows,
                       place_text(first));
  }
  return fmt::format("{} is wrong as a whole, no row stands out ({}; see {})", name_of(first.output), rows,
                     place_text(first));
}

std::string diagnosis_text(const Diagnosis& diagnosis) {
  if (diagnosis.name == described_otherwise_name) return diagnosis.evidence;
  return fmt::format("{} {}: {}", diagnosis.certain ? "it is" : "it looks like", diagnosis.name, diagnosis.evidence);
}

void print_check(const CheckResult& result) {
  const Verdict verdict = result.judged.verdict();
  fmt::print("{} {}  {:.2f} s\n", inked(fmt::format("{:<10}", name_of(verdict)), emphasis_of(verdict), stdout),
             files_text(result.dump.paths), result.seconds);
  fmt::print("  {}\n", problem_text(result.dump));
  print_figures(result.judged);
  fmt::print("  {}\n", verdict_sentence(result));
  if (const TensorDiff* step = result.steps.first()) fmt::print("  {}\n", step_text(*step));
  if (result.diagnosis) {
    fmt::print("  {}\n", diagnosis_text(*result.diagnosis));
  } else if (result.first_wrong) {
    fmt::print("  no known pattern\n");
  }
  for (const std::string& hint : result.hints) {
    if (!result.diagnosis || hint != result.diagnosis->evidence) fmt::print("  {}\n", hint);
  }
  for (const std::string& note : result.notes) {
    fmt::print("{}\n", inked(fmt::format("  note: {}", note), Emphasis::faint, stdout));
  }
}

}  // namespace ringscope
