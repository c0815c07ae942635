#include "tools/verify_print.h"

#include <fmt/format.h>

#include <array>

#include "tools/terminal.h"

namespace ringscope {

namespace {

Emphasis emphasis_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return Emphasis::good;
    case Verdict::skipped:
      return Emphasis::faint;
    default:
      return Emphasis::bad;
  }
}

std::string verdict_word(Verdict verdict) {
  return inked(fmt::format("{:<10}", name_of(verdict)), emphasis_of(verdict), stdout);
}

std::string place_text(const Place& p) {
  std::string text = "by check " + p.check;
  if (p.rank >= 0) text += fmt::format(", rank {}", p.rank);
  if (p.step >= 0) text += fmt::format(", step {}", p.step);
  if (p.kv_block >= 0) text += fmt::format(", KV block {}", p.kv_block);
  if (!p.output) return text;
  return text + fmt::format(", {}[batch {}, head {}, row {}]", name_of(*p.output), p.batch, p.head, p.row);
}

std::string figures_text(const Report& report) {
  std::string text;
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    const Figures& f = report.of(output);
    if (!f.present) continue;
    text += fmt::format("  {:<5}{:>12.3g}{:>12.3g}{:>12.3g}{:>12.3g}{:>11}  {}\n", name_of(output), f.max_abs,
                        f.rel_fro, f.ratio, f.peak_ratio, f.nonfinite, name_of(f.verdict));
  }
  if (text.empty()) return text;
  return fmt::format("  {:<5}{:>12}{:>12}{:>12}{:>12}{:>11}\n", "", "max abs", "rel fro", "ratio", "peak ratio",
                     "nonfinite") +
         text;
}

using Count = std::int64_t Summary::*;
struct Column {
  const char* name;
  Count count;
};
constexpr std::array<Column, 6> columns{{{"passed", &Summary::passed},
                                         {"failed", &Summary::failed},
                                         {"mistrusted", &Summary::mistrusted},
                                         {"faulted", &Summary::faulted},
                                         {"invalid", &Summary::invalid},
                                         {"skipped", &Summary::skipped}}};

std::int64_t total(const Summary& s) {
  std::int64_t n = 0;
  for (const Column& column : columns) n += s.*column.count;
  return n;
}

std::string row_text(const std::string& name, const Summary& row, const Summary& all) {
  std::string text = fmt::format("  {:<14}", name);
  for (const Column& column : columns) {
    if (all.*column.count > 0) text += fmt::format("{:>12}", row.*column.count);
  }
  return text + "\n";
}

std::string diagnosis_line(const Report& report) {
  if (!report.diagnosed) return {};
  if (!report.diagnosis) return "  no known pattern\n";
  return fmt::format("  {} {}: {}\n", report.diagnosis->certain ? "it is" : "it looks like", report.diagnosis->name,
                     report.diagnosis->evidence);
}

}  // namespace

void print_verdict(const Report& report) {
  fmt::print("{} {}  {:.2f} s\n", verdict_word(report.verdict), report.case_line, report.seconds);
  if (report.fault_unseen) fmt::print("  {}\n", inked(report.reason, Emphasis::bad, stdout));
}

std::string report_text(const Report& report, const std::string& repeat) {
  std::string text = fmt::format("  {}\n", printable(report.reason));
  if (report.where) text += fmt::format("  {}\n", place_text(*report.where));
  text += figures_text(report) + diagnosis_line(report);
  const bool has_run = report.verdict != Verdict::skipped && report.verdict != Verdict::invalid;
  if (has_run) text += fmt::format("  repeat: {}\n", repeat);
  return text;
}

void print_report(const Report& report, const std::string& repeat) {
  fmt::print("{} {}\n{}", verdict_word(report.verdict), printable(report.case_line), report_text(report, repeat));
}

void print_in_short(const Report& report) {
  fmt::print("{} {}  {}\n", verdict_word(report.verdict), printable(report.case_line),
             report.where ? place_text(*report.where) : printable(report.reason));
}

void print_shrunk(const Shrunk& shrunk, const std::string& line) {
  print_report(shrunk.result.report, shrunk.job.repeat);
  const bool is_of_another = shrunk.result.report.diagnosis && shrunk.diagnosed_in != shrunk.job.line;
  if (is_of_another) {
    fmt::print("  seen in: {}\n", shrunk.diagnosed_in == line ? "the case before it was shrunk" : shrunk.diagnosed_in);
  }
  const bool is_smaller = shrunk.job.line != line;
  fmt::print("  shrunk in {} tries from: {}\n", shrunk.tries, is_smaller ? line : "itself, nothing smaller fails");
}

void print_agreement(const Agreement& agreement, const std::string& against) {
  if (agreement.same_bits()) return static_cast<void>(fmt::print("  against {}: the same bits\n", against));
  fmt::print("  against {}: elements by distance in ulps\n  {:<5}", against, "");
  for (const std::string_view bin : ulp_bins) fmt::print("{:>11}", bin);
  fmt::print("{:>14}\n", "most");
  for (int n = 0; n < output_kinds; ++n) {
    const UlpHistogram& h = agreement.outputs[static_cast<std::size_t>(n)];
    if (!h.present) continue;
    fmt::print("  {:<5}", name_of(static_cast<Output>(n)));
    for (const std::int64_t count : h.count) fmt::print("{:>11}", count);
    fmt::print("{:>14}\n", h.most);
  }
}

void Tally::add(const VerifyJob& job, const Report& report) {
  all_.add(report);
  by_schedule_[job.schedule].add(report);
}

std::string Tally::so_far() const {
  if (jobs_ == 0) return "no case was begun";
  return fmt::format("{} of {} cases done, {} passed, {} did not", total(all_), jobs_, all_.passed,
                     total(all_) - all_.passed - all_.skipped);
}

void Tally::print(double seconds) const {
  const std::int64_t n = total(all_);
  if (n > 1) fmt::print("\n{}", table_text());
  fmt::print("\n{} case{} in {:.1f} s", n, n == 1 ? "" : "s", seconds);
  if (n >= 20) fmt::print(" ({:.0f} a minute)", static_cast<double>(n) * 60 / std::max(seconds, 1e-9));
  const bool is_well = all_.passed == n && all_.fault_unseen == 0;
  fmt::print(": {}\n", inked(in_words(), is_well ? Emphasis::good : Emphasis::bad, stdout));
}

std::string Tally::table_text() const {
  std::string text = fmt::format("  {:<14}", "");
  for (const Column& column : columns) {
    if (all_.*column.count > 0) text += fmt::format("{:>12}", column.name);
  }
  text += "\n";
  for (const auto& [name, row] : by_schedule_) text += row_text(name, row, all_);
  if (by_schedule_.size() > 1) text += row_text("all", all_, all_);
  return text;
}

std::string Tally::in_words() const {
  const std::int64_t n = total(all_), others = n - all_.passed - all_.skipped;
  std::string words = "all passed";
  if (all_.passed < n) words = fmt::format("{} passed, {} did not", all_.passed, others);
  if (all_.skipped > 0) words += fmt::format(", {} skipped", all_.skipped);
  if (all_.fault_unseen > 0) {
    words += fmt::format("; {} that passed did not see the planted fault", all_.fault_unseen);
  }
  return words;
}

}  // namespace ringscope
