#include "formats/report_json.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace ringscope {

namespace {

using Json = nlohmann::ordered_json;

Json known(std::int64_t value) {
  return value < 0 ? Json(nullptr) : Json(value);
}

Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json to_json(const Figures& f) {
  return {{"verdict", name_of(f.verdict)}, {"max_abs", finite(f.max_abs)},       {"rel_fro", finite(f.rel_fro)},
          {"ratio", finite(f.ratio)},      {"peak_ratio", finite(f.peak_ratio)}, {"nonfinite", f.nonfinite}};
}

Json to_json(const Place& p) {
  return {{"check", p.check},
          {"rank", known(p.rank)},
          {"step", known(p.step)},
          {"kv_block", known(p.kv_block)},
          {"output", p.output ? Json(name_of(*p.output)) : Json(nullptr)},
          {"batch", known(p.batch)},
          {"head", known(p.head)},
          {"row", known(p.row)}};
}

Json to_json(const std::optional<Diagnosis>& d) {
  return d ? Json{{"name", d->name}, {"certain", d->certain}, {"evidence", d->evidence}} : Json(nullptr);
}

}  // namespace

Json to_json(const Report& report) {
  Json figures = Json::object();
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    if (report.of(output).present) figures[std::string(name_of(output))] = to_json(report.of(output));
  }
  return {{"case", report.case_line},
          {"verdict", name_of(report.verdict)},
          {"reason", report.reason},
          {"figures", figures},
          {"where", report.where ? to_json(*report.where) : Json(nullptr)},
          {"diagnosis", to_json(report.diagnosis)},
          {"seconds", finite(report.seconds)}};
}

Json to_json(const Summary& s) {
  Json counts = {{"passed", s.passed},   {"failed", s.failed},   {"mistrusted", s.mistrusted},
                 {"skipped", s.skipped}, {"invalid", s.invalid}, {"faulted", s.faulted}};
  if (s.fault_unseen > 0) counts["fault_unseen"] = s.fault_unseen;
  return {{"summary", counts}};
}

Json to_json(const Agreement& agreement) {
  Json ulps = Json::object();
  for (int n = 0; n < output_kinds; ++n) {
    const UlpHistogram& h = agreement.outputs[static_cast<std::size_t>(n)];
    if (!h.present) continue;
    Json bins = {{"most", h.most}};
    for (std::size_t bin = 0; bin < ulp_bins.size(); ++bin) bins[std::string(ulp_bins[bin])] = h.count[bin];
    ulps[std::string(name_of(static_cast<Output>(n)))] = bins;
  }
  return {{"same_bits", agreement.same_bits()}, {"ulps", ulps}};
}

}  // namespace ringscope
