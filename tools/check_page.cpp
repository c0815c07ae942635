#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/diagnosis/rank_rows.h"
#include "pictures/error_map.h"
#include "pictures/html.h"
#include "tools/check_maps.h"
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
RankMap row_map(const JudgedOutput& output, Shape shape, Side side, const RankRows& owners, std::string name) {
  const auto owner = [&](std::int64_t row) { return side == Side::q ? owners.of_query(row) : owners.of_key(row); };
  RankMap map{std::move(name), "local row", {}, 0, {}};
  for (std::int64_t row = 0; row < shape.rows; ++row) map.columns = std::max(map.columns, owner(row).row + 1);
  for (int rank = 0; rank < owners.ranks(); ++rank) map.ranks.push_back(fmt::format("rank {}", rank));
  map.cells.resize(static_cast<std::size_t>(owners.ranks() * map.columns));
  for (std::size_t n = 0; n < output.row_errors.size(); ++n) {
    const RankRow at = owner(static_cast<std::int64_t>(n) % shape.rows);
    double& cell = map.cells[static_cast<std::size_t>(at.rank * map.columns + at.row)].ratio;
    cell = std::max(cell, ratio(output, n));
  }
  return map;
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
  section.pictures.push_back(draw({row_map(judged, shape, side, owners, name + " by rank")}, name + " where it lives",
                                  "Ranks down, their local rows across."));
  return section;
}

Section steps_section(const CheckResult& result) {
  Section section{.heading = "Rank by step"};
  const TensorDiff* first = result.steps.first();
  section.words =
      "What each rank held after each step, against a right run of the same case in fp64; each cell the largest error "
      "over what rounding explains. " +
      (first == nullptr ? std::string("No step differs") : step_text(*first)) + ".";
  section.pictures.push_back(draw(step_maps(result.steps.tensors), "Errors by rank and step",
                                  "Ranks down, steps across; backward steps follow the forward's."));
  return section;
}

Section shares_section(const CheckResult& result) {
  Section section{.heading = "Whose share is wrong"};
  section.words =
      "Each cell is how often the rows of a rank took what another rank adds to them: 1 is right, 0 missing, 2 twice. "
      "It is found from the outputs alone, by least squares over all rows of the rank; where whole shares explain "
      "little of a rank's error, something else is wrong there.";
  section.pictures.push_back(draw(share_maps(result.shares), "Shares by rank",
                                  "Owners of the rows down, ranks whose keys (dk, dv: queries) add to them across."));
  return section;
}

}  // namespace

std::string check_page(const CheckResult& result) {
  Page page;
  page.title = fmt::format("{}: {}", name_of(result.judged.verdict()), result.dump.paths.front());
  page.subtitle = problem_text(result.dump);
  Section verdict{.heading = "Verdict", .words = verdict_sentence(result) + "."};
  if (result.diagnosis) {
    verdict.words += fmt::format(" Diagnosis: {}.", diagnosis_text(*result.diagnosis));
  } else if (result.first_wrong) {
    verdict.words += " No known pattern.";
  }
  for (const std::string& note : result.notes) verdict.words += " Note: " + note + ".";
  page.sections.push_back(std::move(verdict));
  if (!result.steps.tensors.empty()) page.sections.push_back(steps_section(result));
  if (!result.shares.empty()) page.sections.push_back(shares_section(result));
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    if (result.judged.of(output).figures.present) page.sections.push_back(section_of(result, output));
  }
  return to_html(page);
}

}  // namespace ringscope
