#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/diagnosis/rank_rows.h"
#include "pictures/error_map.h"
#include "pictures/html.h"
#include "tools/check_print.h"

namespace ringscope {

namespace {

constexpr std::int64_t most_columns = 256;

// Of one row, to what is allowed: by the whole tensor, and by the row's own roundings.
double ratio(const JudgedOutput& output, std::size_t row) {
  const double error = output.row_errors[row], by_whole = error == 0 ? 0 : error / output.row_tolerance();
  return std::max(by_whole, output.row_reach[row] / most_reach);
}

// All heads of one batch entry.
ErrorMap map_of(const JudgedOutput& output, Shape shape, std::int64_t batch, std::string name) {
  ErrorMap map{std::move(name), shape.heads, shape.rows, {}};
  for (std::int64_t n = 0; n < shape.heads * shape.rows; ++n) {
    map.ratios.push_back(ratio(output, static_cast<std::size_t>(batch * shape.heads * shape.rows + n)));
  }
  return pooled(map, most_columns);
}

// Rank by local row: each cell the worst of all batch entries and heads.
ErrorMap rank_map(const JudgedOutput& output, Shape shape, Side side, const RankRows& owners, std::string name) {
  std::int64_t longest = 0;
  const auto owner = [&](std::int64_t row) { return side == Side::q ? owners.of_query(row) : owners.of_key(row); };
  for (std::int64_t row = 0; row < shape.rows; ++row) longest = std::max(longest, owner(row).row + 1);
  ErrorMap map{std::move(name), owners.ranks(), longest, {}};
  map.ratios.assign(static_cast<std::size_t>(owners.ranks() * longest), 0.0);
  for (std::size_t n = 0; n < output.row_errors.size(); ++n) {
    const RankRow at = owner(static_cast<std::int64_t>(n) % shape.rows);
    double& cell = map.ratios[static_cast<std::size_t>(at.rank * longest + at.row)];
    cell = std::max(cell, ratio(output, n));
  }
  return pooled(map, most_columns);
}

std::string words_of(const JudgedOutput& output) {
  const Figures& f = output.figures;
  return fmt::format("{}: max abs {:.3g}, relative {:.3g}, ratio {:.3g}, peak ratio {:.3g}, {} not finite.",
                     name_of(f.verdict), f.max_abs, f.rel_fro, f.ratio, f.peak_ratio, f.nonfinite);
}

Section section_of(const CheckResult& result, Output output) {
  const JudgedOutput& judged = result.judged.of(output);
  const Shape shape = shape_of(result.dump.problem, output);
  const std::string name(name_of(output));
  Section section;
  section.heading = name;
  section.words = words_of(judged) + " Head by row, each cell the largest error over the row tolerance.";
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    section.pictures.push_back(draw({map_of(judged, shape, b, fmt::format("{}, batch {}", name, b))}));
  }
  if (!result.dump.layout) return section;
  const RankRows owners(*result.dump.layout, result.dump.problem);
  const Side side = output == Output::dk || output == Output::dv ? Side::kv : Side::q;
  section.words += " The last map is rank by local row.";
  section.pictures.push_back(draw({rank_map(judged, shape, side, owners, name + " by rank")}));
  return section;
}

}  // namespace

std::string check_page(const CheckResult& result) {
  Page page;
  page.title = fmt::format("{}: {}", name_of(result.judged.verdict()), result.dump.paths.front());
  page.subtitle = problem_text(result.dump);
  Section verdict{.heading = "Verdict", .words = verdict_sentence(result) + "."};
  if (result.diagnosis) {
    verdict.words += fmt::format(" {} {}: {}.", result.diagnosis->certain ? "It is" : "It looks like",
                                 result.diagnosis->name, result.diagnosis->evidence);
  } else if (result.first_wrong) {
    verdict.words += " No known pattern.";
  }
  for (const std::string& note : result.notes) verdict.words += " Note: " + note + ".";
  page.sections.push_back(std::move(verdict));
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    if (result.judged.of(output).figures.present) page.sections.push_back(section_of(result, output));
  }
  return to_html(page);
}

}  // namespace ringscope
