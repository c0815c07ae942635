// Scores that are formed otherwise: scale, terms, heads, rows, 16 bits.
#include <cmath>

#include "core/diagnosis/hypothesis.h"
#include "core/diagnosis/what_if.h"

namespace ringscope {

namespace {

void offer_scale(const Evidence& e, double scale, const Offer& offer) {
  if (std::abs(scale / e.problem.scale() - 1) < 1e-9) return;
  Mistake mistake;
  mistake.scale = scale;
  offer({"scale " + std::to_string(scale) + " instead of " + std::to_string(e.problem.scale()),
         what_if(e.problem, e.inputs, mistake)});
}

double dim(const Evidence& e) {
  return static_cast<double>(e.problem.dim_qk);
}

void read_other_row(const Evidence& e, std::int64_t by, const Offer& offer) {
  if (!e.first_wrong || !e.first_wrong->output || *e.first_wrong->output == Output::dk ||
      *e.first_wrong->output == Output::dv) {
    return;
  }
  const Place& place = *e.first_wrong;
  const std::int64_t other = place.row + by;
  if (place.row < 0 || other < 0 || other >= e.problem.len_q) return;
  // With one key the weight is 1 whatever the query: nothing would tell rows apart.
  if (e.problem.mask_rows().row(place.batch, place.row).size() < 2 && e.inputs.sink_logit.empty()) return;
  Mistake mistake;
  mistake.query_row = [&](const RowAt& at) {
    const bool here = at.batch == place.batch && at.head == place.head && at.query == place.row;
    return here ? other : at.query;
  };
  offer({"row " + std::to_string(place.row) + " of head " + std::to_string(place.head) +
             " is computed with the query of row " + std::to_string(other),
         what_if(e.problem, e.inputs, mistake)});
}

void round_product(const Evidence& e, ElementType type, const Offer& offer) {
  Mistake mistake;
  mistake.product = [type](double product) { return round_to(type, product); };
  offer({"q.k formed in " + std::string(name_of(type)) + " before the scale", what_if(e.problem, e.inputs, mistake)});
}

void without(const Evidence& e, bool applies, void (*leave_out)(Mistake&), const Offer& offer) {
  if (!applies) return;
  Mistake mistake;
  leave_out(mistake);
  offer({{}, what_if(e.problem, e.inputs, mistake)});
}

}  // namespace

std::vector<Hypothesis> score_hypotheses() {
  return {
      {"scale_1_over_d", "scores are multiplied by 1/D instead of 1/sqrt(D)",
       [](const Evidence& e, const Offer& offer) { offer_scale(e, 1 / dim(e), offer); }},
      {"scale_missing", "scores are not scaled",
       [](const Evidence& e, const Offer& offer) { offer_scale(e, 1, offer); }},
      {"scale_ignored", "the given scale is ignored for 1/sqrt(D)",
       [](const Evidence& e, const Offer& offer) { offer_scale(e, 1 / std::sqrt(dim(e)), offer); }},
      {"scale_twice", "the scale is applied twice",
       [](const Evidence& e, const Offer& offer) {
         const double twice = e.problem.scale() * e.problem.scale();
         if (std::abs(twice * dim(e) - 1) > 1e-9) offer_scale(e, twice, offer);
       }},
      {"exp_base_2", "weights are 2^s instead of e^s, or the scale holds log2(e) once too often",
       [](const Evidence& e, const Offer& offer) {
         offer_scale(e, e.problem.scale() * std::log(2.0), offer);
         offer_scale(e, e.problem.scale() / std::log(2.0), offer);
       }},
      {"sink_not_in_sum", "the sink logit is not in the sum of the softmax",
       [](const Evidence& e, const Offer& offer) {
         without(
             e, !e.inputs.sink_logit.empty(), [](Mistake& m) { m.sink_missing = true; }, offer);
       }},
      {"softcap_missing", "the softcap is not applied",
       [](const Evidence& e, const Offer& offer) {
         without(
             e, e.problem.terms.softcap > 0, [](Mistake& m) { m.softcap_missing = true; }, offer);
       }},
      {"alibi_missing", "ALiBi is not added",
       [](const Evidence& e, const Offer& offer) {
         without(
             e, e.problem.terms.alibi, [](Mistake& m) { m.alibi_missing = true; }, offer);
       }},
      {"gqa_head_mod", "query head h reads KV head h mod Hkv instead of h / (Hq/Hkv)",
       [](const Evidence& e, const Offer& offer) {
         const std::int64_t heads = e.problem.heads_kv;
         if (heads == 1 || heads == e.problem.heads_q) return;
         Mistake mistake;
         mistake.kv_head = [heads](std::int64_t h) { return h % heads; };
         offer({{}, what_if(e.problem, e.inputs, mistake)});
       }},
      {"row_reads_row_before", "one row is computed with the query of the row before",
       [](const Evidence& e, const Offer& offer) { read_other_row(e, -1, offer); }},
      {"row_reads_row_after", "one row is computed with the query of the row after",
       [](const Evidence& e, const Offer& offer) { read_other_row(e, 1, offer); }},
      {"f16_score_overflow", "q.k is formed in f16 before the scale, and overflows",
       [](const Evidence& e, const Offer& offer) { round_product(e, ElementType::f16, offer); }},
      {"scores_16_bit", "q.k is rounded to bf16",
       [](const Evidence& e, const Offer& offer) { round_product(e, ElementType::bf16, offer); }},
  };
}

}  // namespace ringscope
