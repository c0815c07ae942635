#include "formats/dump_notes.h"

#include <algorithm>

#include "core/pair_count.h"

namespace ringscope {

std::vector<std::string> idle_flags(const Dump& dump, const DumpWords& words) {
  std::vector<std::string> notes;
  const auto say = [&](bool said, const char* flag, const char* why) {
    if (said) notes.push_back(std::string(flag) + " changes nothing: " + why);
  };
  const auto has = [&](Output output) { return dump.outputs[static_cast<std::size_t>(output)].has_value(); };
  const auto say_empty = [&](const std::optional<double>& said, const char* flag, Output output, const char* absent) {
    if (!said) return;
    if (!has(output)) return say(true, flag, absent);
    if (!dump.sinks.empty()) return say(true, flag, "with a sink no row is empty");
    say(!has_empty_rows(dump.problem), flag, "every row sees a key");
  };
  say(words.lse_base && !has(Output::lse), "--lse-base", "no lse is given");
  say(words.lse_axes && !has(Output::lse), "--lse-axes", "no lse is given");
  say_empty(words.empty_lse, "--empty-lse", Output::lse, "no lse is given");
  say_empty(words.empty_o, "--empty-o", Output::o, "no o is given");
  say(words.softcap && dump.problem.terms.softcap == 0, "--softcap", "0 means none");
  const std::vector<std::int64_t>& lengths = dump.problem.mask.kv_lens;
  const bool hides = std::any_of(lengths.begin(), lengths.end(), [&](auto n) { return n < dump.problem.len_kv; });
  say(words.kv_lengths && !hides, "--kv-lengths", "all keys are within them");
  return notes;
}

}  // namespace ringscope
