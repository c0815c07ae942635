#include "tools/show_run.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/compare.h"
#include "core/error.h"
#include "pictures/error_map.h"
#include "pictures/pair_picture.h"
#include "pictures/timeline.h"
#include "tools/check_maps.h"
#include "tools/progress.h"
#include "tools/show_json.h"
#include "tools/stage.h"

namespace ringscope {

namespace {

// The largest ratio of each head and row over the batch, or of one item.
ErrorMap error_map(Output output, const Tensor& tensor, const std::vector<double>& ratios, std::optional<int> batch) {
  const Shape& shape = tensor.shape;
  ErrorMap map{std::string(name_of(output)), shape.heads, shape.rows, {}};
  map.ratios.assign(static_cast<std::size_t>(shape.heads * shape.rows), 0);
  const std::int64_t first = batch.value_or(0), last = batch ? first + 1 : shape.batch;
  for (std::int64_t b = first; b < last; ++b) {
    for (std::size_t i = 0; i < map.ratios.size(); ++i) {
      map.ratios[i] = std::max(map.ratios[i], ratios[static_cast<std::size_t>(b) * map.ratios.size() + i]);
    }
  }
  return map;
}

struct Errors {
  std::vector<ErrorMap> rows;  // one for each output
  CheckedSteps steps;
};

Errors errors_of(const Case& c, std::optional<int> batch) {
  const Planted staged = stage(c);
  Footprint footprint = footprint_of_verify(c.problem);
  footprint.snapshots = snapshot_bytes(staged.plan);
  require_room(footprint);
  const Reference reference = [&] {
    Ticker ticker("oracle");
    return make_reference(c.problem, c.fill, c.seed, Weights::kept, ticker.teller());
  }();
  const RunResult result = run(c, staged, reference.inputs, {.record = RunOptions::Record::snapshots});
  const Outputs& outputs = result.outputs;
  const std::array<std::pair<Output, const Tensor*>, output_kinds> tensors{{{Output::o, &outputs.o},
                                                                            {Output::lse, &outputs.lse},
                                                                            {Output::dq, &outputs.dq},
                                                                            {Output::dk, &outputs.dk},
                                                                            {Output::dv, &outputs.dv}}};
  Errors errors;
  for (const auto& [output, tensor] : tensors) {
    const std::vector<double> ratios = row_ratios(c.problem, reference, output, outputs);
    if (!ratios.empty()) errors.rows.push_back(error_map(output, *tensor, ratios, batch));
  }
  errors.steps = check_steps(c, staged.plan, result.log, reference);
  return errors;
}

}  // namespace

Shown show_pair(const ShowRequest& request) {
  const Case& c = request.c;
  const PairRequest pair{request.pair->first, request.pair->second, request.head.value_or(0),
                         request.batch.value_or(0)};
  require_room(Footprint{.inputs = footprint_of_run(c.problem).inputs});
  PairView view = make_pair_view(stage(c).plan, pair);
  view.weight = pair_weight(c.problem, filled(c), {pair.batch, pair.head, pair.query, pair.key});
  return {{{"Pair", "Where a query meets a key.", {draw(view)}, {write(view)}}}, [view] { return to_json(view); }};
}

Shown show_timeline(const ShowRequest& request) {
  const Case& c = request.c;
  require_room(footprint_of_run(c.problem));
  const Planted staged = stage(c);
  const RunResult result = run(c, staged, filled(c));
  const Timeline timeline = make_timeline(result.trace, staged.plan.layout);
  return {{{"Timeline", "What each rank did when, as measured on this machine.", {draw(timeline)}, {write(timeline)}}},
          [timeline] { return to_json(timeline); }};
}

Shown show_error(const ShowRequest& request) {
  const Errors errors = errors_of(request.c, request.batch);
  Shown shown{
      {{"Error", "Each row's error over what docs/numerics.md allows.", {draw(errors.rows)}, {write(errors.rows)}}},
      [errors] {
        nlohmann::ordered_json json = to_json(errors.rows);
        json["steps"] = to_json(step_maps(errors.steps.tensors));
        return json;
      }};
  if (errors.steps.tensors.empty()) return shown;
  const std::vector<RankMap> maps = step_maps(errors.steps.tensors);
  shown.sections.push_back({"Rank by step",
                            "What each rank held after each step, against the same case without its fault in fp64.",
                            {draw(maps, "Errors by rank and step", "Ranks down, steps across.")},
                            {write(maps)}});
  return shown;
}

}  // namespace ringscope
