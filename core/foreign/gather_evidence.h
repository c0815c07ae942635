// What a diagnosis is given of a failed judgement: whole tensors when they are small, else one KV head's.
#pragma once
#include <optional>
#include <string>

#include "core/foreign/evidence.h"
#include "core/foreign/first_wrong.h"

namespace ringscope {

struct Gathered {
  std::optional<Evidence> evidence;  // none: too large to diagnose
  std::string remark;                // a sentence on what was left out, or empty
};

Gathered gather_evidence(const Foreign& foreign, const Judged& judged, const FirstWrong& first,
                         const std::optional<Layout>& layout, int threads);

// One KV head of one batch entry, with the query heads that read it.
Foreign one_group(const Foreign& foreign, std::int64_t batch, std::int64_t head_kv);
// O and LSE of the first query rows alone, as many as `products` multiplications allow; at least 64.
Foreign first_rows(const Foreign& foreign, double products);

}  // namespace ringscope
