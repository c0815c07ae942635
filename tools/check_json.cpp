#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/case.h"
#include "formats/utf8.h"
#include "tools/check_print.h"

namespace ringscope {

namespace {

using Json = nlohmann::ordered_json;

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const WrongRows& rows) {
  return {{"batch", rows.batch},      {"head", rows.head},  {"row", rows.row},
          {"wrong_rows", rows.count}, {"of_rows", rows.of}, {"sharp", rows.sharp}};
}

double largest_reach(const JudgedOutput& output) {
  return output.row_reach.empty() ? 0 : *std::max_element(output.row_reach.begin(), output.row_reach.end());
}

Json to_json(const Alone& head) {
  return {{"batch", head.batch},
          {"head", head.head},
          {"ratio", finite(head.ratio)},
          {"peak_ratio", finite(head.peak_ratio)},
          {"row_ratio", finite(head.reach)}};
}

Json to_json(const JudgedOutput& output) {
  const Figures& f = output.figures;
  return {{"verdict", name_of(f.verdict)},
          {"max_abs", finite(f.max_abs)},
          {"rel_fro", finite(f.rel_fro)},
          {"ratio", finite(f.ratio)},
          {"peak_ratio", finite(f.peak_ratio)},
          {"nonfinite", f.nonfinite},
          {"overflows", output.overflows},
          {"row_ratio", finite(largest_reach(output))},
          {"hidden", output.hidden ? to_json(*output.hidden) : Json(nullptr)},
          {"place", output.wrong ? to_json(*output.wrong) : Json(nullptr)}};
}

Json to_json(const std::optional<FirstWrong>& first) {
  if (!first || !first->rows.sharp) return nullptr;
  Json json = {{"output", name_of(first->output)},
               {"batch", first->rows.batch},
               {"head", first->rows.head},
               {"row", first->rows.row}};
  if (first->rank >= 0) json["rank"] = first->rank, json["local_row"] = first->local_row;
  if (first->kv_block >= 0) json["kv_block"] = first->kv_block;
  return json;
}

Json to_json(const std::optional<Diagnosis>& diagnosis) {
  if (!diagnosis) return nullptr;
  return {{"name", diagnosis->name}, {"certain", diagnosis->certain}, {"evidence", diagnosis->evidence}};
}

// -1 in a difference: it has no such place.
Json known(std::int64_t value) {
  return value < 0 ? Json(nullptr) : Json(value);
}

Json to_json(const TensorDiff* first) {
  if (first == nullptr) return nullptr;
  return {{"tensor", first->name},
          {"step", first->step},
          {"rank", first->rank},
          {"q_block", known(first->q_block)},
          {"kv_block", known(first->kv_block)},
          {"batch", known(first->batch)},
          {"head", known(first->head)},
          {"row", known(first->row)},
          {"ratio", finite(first->ratio)},
          {"nonfinite", first->nonfinite}};
}

}  // namespace

Json to_json(const CheckResult& result) {
  Json outputs = Json::object();
  for (int n = 0; n < output_kinds; ++n) {
    const JudgedOutput& output = result.judged.of(static_cast<Output>(n));
    if (output.figures.present) outputs[std::string(name_of(static_cast<Output>(n)))] = to_json(output);
  }
  return {{"files", result.dump.paths},
          {"source", result.dump.source},
          {"case", result.dump.case_line},
          {"problem", problem_text(result.dump)},
          {"verdict", name_of(result.judged.verdict())},
          {"reason", result.judged.mistrust.value_or("")},
          {"outputs", outputs},
          {"first_wrong", to_json(result.first_wrong)},
          {"first_step", to_json(result.steps.first())},
          {"diagnosis", to_json(result.diagnosis)},
          {"notes", result.notes},
          {"hints", result.hints},
          {"seconds", finite(result.seconds)}};
}

}  // namespace ringscope
