// What a diagnosis is given of a failed judgement: whole tensors when they are small, else the KV head and the rows
// around the first wrong place.
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
// O, LSE and dQ of query rows first .. first + count alone, which see the same keys as before.
Foreign some_rows(const Foreign& foreign, std::int64_t first, std::int64_t count);
// How many rows `products` multiplications of a forward allow, from 8 on and at most all.
std::int64_t affordable_rows(const Problem& problem, double products);

}  // namespace ringscope
