#include "core/schedules/head_owners.h"

namespace ringscope {

HeadOwners head_owners(const Problem& problem, int members) {
  HeadOwners out;
  for (std::int64_t j = 0; j < members; ++j) {
    const std::int64_t begin = j * problem.heads_q / members, end = (j + 1) * problem.heads_q / members;
    const std::int64_t kv_begin = begin / problem.group(), kv_end = (end - 1) / problem.group() + 1;
    out.q.push_back({static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end)});
    out.kv.push_back({static_cast<std::uint16_t>(kv_begin), static_cast<std::uint16_t>(kv_end)});
  }
  return out;
}

std::optional<std::string> refuse_members(const Problem& problem, const Recipe& recipe, int members) {
  if (members > problem.heads_q) {
    return std::to_string(members) + " members share " + std::to_string(problem.heads_q) +
           " query heads: each member needs one; use at most " + std::to_string(problem.heads_q) + " members";
  }
  if (recipe.kv_copies) return std::nullopt;
  const HeadOwners owners = head_owners(problem, members);
  for (std::size_t j = 1; j < owners.kv.size(); ++j) {
    if (owners.kv[j].begin >= owners.kv[j - 1].end) continue;
    return "KV head " + std::to_string(owners.kv[j].begin) + " is read by members " + std::to_string(j - 1) + " and " +
           std::to_string(j) + " of " + std::to_string(members) + ": say kv-copies if it may be copied to both";
  }
  return std::nullopt;
}

}  // namespace ringscope
