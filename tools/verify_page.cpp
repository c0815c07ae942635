#include "tools/verify_page.h"

#include <sstream>

#include "core/error.h"
#include "pictures/html.h"
#include "tools/show_run.h"
#include "tools/terminal.h"

namespace ringscope {

namespace {

constexpr std::size_t most_told = 200, most_drawn = 8;

Sheet sheet_of_text(const std::string& text) {
  Sheet sheet;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) sheet.add({{line}});
  return sheet;
}

// Nothing where there is no run to draw: a refused plan, a dead rank, a schedule of somebody's own.
std::vector<Picture> error_maps(const VerifyJob& job, const Report& report) {
  const bool has_numbers = report.verdict == Verdict::failed && report.where && report.where->output;
  if (!has_numbers || !job.c || job.plan != nullptr) return {};
  std::vector<Picture> out;
  try {
    for (const Section& section : show_error({.c = *job.c}).sections) {
      out.insert(out.end(), section.pictures.begin(), section.pictures.end());
    }
  } catch (const Error&) {
    out.clear();  // the report itself says what is wrong
  }
  return out;
}

}  // namespace

void VerifyPage::add(const VerifyJob& job, const Report& report) {
  if (report.verdict == Verdict::passed || report.verdict == Verdict::skipped) return;
  if (failures_.size() < most_told) {
    failures_.push_back({job, report});
  } else {
    ++more_;
  }
}

std::string VerifyPage::html(const Tally& tally) const {
  Page page{"ringscope verify: " + tally.in_words(), "", {}};
  page.sections.push_back({.heading = "Verdicts by recipe", .sheets = {sheet_of_text(tally.table_text())}});
  for (std::size_t n = 0; n < failures_.size(); ++n) {
    const auto& [job, report] = failures_[n];
    Section section{.heading = std::string(name_of(report.verdict)) + ": " + printable(report.case_line)};
    if (n < most_drawn) section.pictures = error_maps(job, report);
    section.sheets.push_back(sheet_of_text(report_text(report, job.repeat)));
    page.sections.push_back(std::move(section));
  }
  if (more_ > 0)
    page.sections.push_back({.heading = std::to_string(more_) + " more did not pass", .words = "See --json."});
  return to_html(page);
}

}  // namespace ringscope
