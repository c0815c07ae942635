#include "formats/counts_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

namespace ringscope {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<const char*, TensorKind>, tensor_kinds> transfer_keys{{{"kv", TensorKind::kv},
                                                                                      {"q", TensorKind::q},
                                                                                      {"state", TensorKind::state},
                                                                                      {"out", TensorKind::out},
                                                                                      {"do", TensorKind::d_o},
                                                                                      {"stats", TensorKind::stats},
                                                                                      {"dq", TensorKind::dq},
                                                                                      {"dkv", TensorKind::dkv}}};

Json pass_json(const PassFacts& facts) {
  Json transfers = Json::object();
  for (const auto& [key, tensor] : transfer_keys) transfers[key] = facts.transfers[static_cast<std::size_t>(tensor)];
  transfers["total"] = std::accumulate(facts.transfers.begin(), facts.transfers.end(), std::int64_t{0});
  Json bytes = Json::array();
  for (const LinkBytes& link : facts.links) {
    bytes.push_back({{"from", link.from}, {"to", link.to}, {"bytes", link.bytes}});
  }
  return {{"transfers", transfers},
          {"bytes", bytes},
          {"pairs", facts.pairs},
          {"balance", balance(facts)},
          {"lockstep_efficiency", lockstep_efficiency(facts)}};
}

}  // namespace

Json counts_json(std::string_view case_line, const ScheduleFacts& facts) {
  Json out{{"case", case_line}, {"forward", pass_json(facts.forward)}};
  if (facts.has_backward) out["backward"] = pass_json(facts.backward);
  out["peak_bytes"] = facts.peak_bytes;
  return out;
}

}  // namespace ringscope
