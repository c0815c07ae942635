// Small problems with every mask and every score term, for tests of numbers.
#pragma once
#include <string>
#include <vector>

#include "core/problem.h"

namespace ringscope {

struct NamedProblem {
  std::string name;
  Problem problem;
};

inline std::vector<NamedProblem> masked_problems() {
  const Problem base{.batch = 2, .heads_q = 4, .heads_kv = 2, .len_q = 7, .len_kv = 7, .dim_qk = 4, .dim_v = 3};
  std::vector<NamedProblem> out;
  const auto add = [&](const char* name, Mask mask, std::int64_t len_q = 7, std::int64_t len_kv = 7) {
    Problem p = base;
    p.mask = std::move(mask);
    p.len_q = len_q;
    p.len_kv = len_kv;
    out.push_back({name, p});
  };
  add("full", {});
  add("full 3x8", {}, 3, 8);
  add("causal", {.causal = true});
  add("causal 8x3 with empty rows", {.causal = true}, 8, 3);
  add("causal 3x8 top left", {.causal = true, .offset = 0}, 3, 8);
  add("prefix", {.prefix = 3});
  add("window", {.window = Window{2, 1}});
  add("causal window with sinks", {.causal = true, .window = Window{1, 0}, .sinks = 2});
  add("documents with positions outside", {.causal = true, .docs = {1, 3, 6}});
  add("chunk", {.chunk = 3});
  add("kv-lens", {.kv_lens = {4, 0}});
  return out;
}

inline std::vector<NamedProblem> problems_with_terms() {
  const Problem base{.batch = 1,
                     .heads_q = 6,
                     .heads_kv = 2,
                     .len_q = 5,
                     .len_kv = 5,
                     .dim_qk = 4,
                     .dim_v = 3,
                     .mask = {.causal = true}};
  std::vector<NamedProblem> out;
  const auto add = [&](const char* name, ScoreTerms terms) {
    Problem p = base;
    p.terms = terms;
    out.push_back({name, p});
  };
  add("scale", {.scale = 0.7});
  add("negative scale", {.scale = -0.7});
  add("softcap", {.softcap = 1.5});
  add("alibi", {.alibi = true});
  add("rope", {.rope_base = 100});
  add("sink-logit", {.sink_logit = true});
  add("dropout", {.dropout = 0.3});
  add("all terms", {.scale = 0.9, .softcap = 2, .alibi = true, .rope_base = 100, .sink_logit = true, .dropout = 0.3});
  out.back().problem.mask = {.causal = true, .window = Window{2, 0}, .sinks = 1, .offset = -1};  // row 0 is empty
  return out;
}

inline std::vector<NamedProblem> all_problems() {
  std::vector<NamedProblem> out = masked_problems();
  for (auto& p : problems_with_terms()) out.push_back(std::move(p));
  return out;
}

}  // namespace ringscope
