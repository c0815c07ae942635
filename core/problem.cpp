#include "core/problem.h"

#include <cmath>
#include <string>

#include "core/error.h"
#include "core/numbers.h"
#include "core/problem_limits.h"

namespace ringscope {

namespace {

// The sentence is made only when it is needed: suites validate a million problems.
template <class Got>
void require(bool holds, const Got& got, const char* want) {
  if (!holds) throw Error(ErrorKind::bad_request, got(), want);
}

void require_range(const char* field, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (low <= value && value <= high) return;
  throw Error(ErrorKind::bad_request, std::string(field) + " " + std::to_string(value),
              std::string(field) + " between " + std::to_string(low) + " and " + std::to_string(high));
}

}  // namespace

double Problem::scale() const {
  return terms.scale.value_or(1.0 / std::sqrt(static_cast<double>(dim_qk)));
}

void Problem::validate() const {
  constexpr ProblemLimits most;
  require_range("batch (b)", batch, 1, most.batch);
  require_range("query heads (h)", heads_q, 1, most.heads);
  require_range("KV heads (h)", heads_kv, 1, heads_q);
  require(
      heads_q % heads_kv == 0, [&] { return "h" + std::to_string(heads_q) + "/" + std::to_string(heads_kv); },
      "query heads that are a multiple of the KV heads");
  require_range("Sq (s)", len_q, 1, most.len);
  require_range("Skv (s)", len_kv, 1, most.len);
  require_range("Dqk (d)", dim_qk, 1, most.dim);
  require_range("Dv (d)", dim_v, 1, most.dim);
  mask.validate(batch, len_q, len_kv);
  require(
      !terms.scale || std::isfinite(*terms.scale), [] { return "scale that is not finite"; }, "a finite scale");
  require(
      std::isfinite(terms.softcap) && terms.softcap >= 0, [&] { return "softcap=" + text_of(terms.softcap); },
      "softcap > 0");
  require(
      terms.dropout >= 0 && terms.dropout < 1, [&] { return "dropout=" + text_of(terms.dropout); }, "0 <= dropout < 1");
  require(
      terms.rope_base == 0 || (std::isfinite(terms.rope_base) && terms.rope_base > 1),
      [&] { return "rope=" + text_of(terms.rope_base); }, "a base above 1, like rope=10000");
  require(
      terms.rope_base == 0 || dim_qk % 2 == 0, [&] { return "rope with Dqk = " + std::to_string(dim_qk); },
      "an even Dqk for rope");
}

}  // namespace ringscope
