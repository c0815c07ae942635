// Somebody else's run, as the judge reads it.
#pragma once
#include <algorithm>
#include <memory>

#include "core/fill.h"
#include "core/foreign/foreign_judge.h"
#include "core/oracle.h"

namespace ringscope {

// Somebody else's run that is right: the oracle's outputs, rounded as the type is stored.
struct TheirRun {
  Problem problem;
  std::shared_ptr<Inputs> inputs;
  std::shared_ptr<Outputs> outputs;

  explicit TheirRun(Problem p, Fill fill = Fill::random)
      : problem(std::move(p)),
        inputs(std::make_shared<Inputs>(make_inputs(problem, fill, 3))),
        outputs(std::make_shared<Outputs>(oracle<double>(problem, *inputs))) {
    for (Tensor* t : {&outputs->o, &outputs->dq, &outputs->dk, &outputs->dv}) {
      for (double& x : t->values) x = round_to(output_type(problem.type), x);
    }
    if (problem.type == ElementType::f64) return;
    for (double& x : outputs->lse.values) x = round_to(ElementType::f32, x);
  }

  static ReadHead read(const Tensor& t) {
    if (t.empty()) return {};
    return [&t](std::int64_t b, std::int64_t h, std::span<double> rows) {
      std::copy_n(t.row(b, h, 0), rows.size(), rows.begin());
    };
  }

  Foreign foreign() const {
    Foreign f;
    f.problem = problem;
    f.q = read(inputs->q), f.k = read(inputs->k), f.v = read(inputs->v), f.d_o = read(inputs->d_o);
    const ElementType type = output_type(problem.type);
    const bool wide = problem.type == ElementType::f64;
    f.outputs = {ForeignOutput{read(outputs->o), type},
                 {read(outputs->lse), wide ? ElementType::f64 : ElementType::f32},
                 {read(outputs->dq), type},
                 {read(outputs->dk), type},
                 {read(outputs->dv), type}};
    f.terms.alibi_slope = inputs->alibi_slope, f.terms.sink_logit = inputs->sink_logit;
    f.terms.dropout_seed = inputs->dropout_seed;
    return f;
  }

  Judged judge(int threads = 2) const { return judge_foreign(foreign(), {.threads = threads}); }
};

inline Problem causal(std::int64_t rows, ElementType type = ElementType::f32) {
  return {
      .batch = 2, .heads_q = 4, .heads_kv = 2, .len_q = rows, .len_kv = rows, .type = type, .mask = {.causal = true}};
}

}  // namespace ringscope
