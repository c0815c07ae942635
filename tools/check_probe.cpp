#include "tools/check_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/diagnosis/unsaid.h"
#include "core/error.h"
#include "core/foreign/gather_evidence.h"
#include "core/foreign/units.h"
#include "core/numbers.h"
#include "formats/dump_foreign.h"

namespace ringscope {

namespace {

using Word = std::optional<std::string> DumpWords::*;

// One change of the description.
struct Change {
  Word word;
  std::string flag, value, looks_like;
};

constexpr double most_products = 1e7;              // of one probe; there are some hundreds
constexpr std::int64_t most_pairs = 2048L * 2048;  // above, two changes at once are not tried

struct Group {
  std::int64_t batch = 0, head_kv = 0;
};

Foreign some_of(const Dump& dump, Group group) {
  const Foreign foreign = one_group(foreign_of(dump), group.batch, group.head_kv);
  const std::int64_t rows = affordable_rows(foreign.problem, most_products);
  return rows < foreign.problem.len_q ? some_rows(foreign, 0, rows) : foreign;
}

Foreign first_group(const Dump& dump) {
  return some_of(dump, {});
}

Judged judge_first_group(const Dump& dump) {
  return judge_foreign(first_group(dump), {.threads = all_threads()});
}

bool is_right(const Judged& judged) {
  const bool any = std::any_of(judged.outputs.begin(), judged.outputs.end(),
                               [](const JudgedOutput& output) { return output.figures.present; });
  return any && judged.verdict() == Verdict::passed;
}

bool is_right(const Dump& dump) {
  return is_right(judge_first_group(dump));
}

// A wrong reading of the axes may make the first group of a few keys, and right by chance.
bool is_right_at_both_ends(const Dump& dump) {
  const Group last{dump.problem.batch - 1, dump.problem.heads_kv - 1};
  return is_right(dump) && is_right(judge_foreign(some_of(dump, last), {.threads = all_threads()}));
}

std::optional<Dump> try_read(const std::vector<std::string>& paths, const DumpWords& words) {
  try {
    return read_dump(paths, words);
  } catch (const Error&) {
    return std::nullopt;  // the shapes do not allow it
  }
}

DumpWords changed(DumpWords words, const std::vector<Change>& changes) {
  for (const Change& change : changes) words.*change.word = change.value;
  return words;
}

std::string sentence(const std::vector<Change>& changes) {
  std::string looks, flags;
  for (const Change& change : changes) {
    looks += (looks.empty() ? "" : ", ") + change.looks_like;
    const bool quoted = change.value.find(' ') != std::string::npos;
    flags += fmt::format(" {} {}{}{}", change.flag, quoted ? "\"" : "", change.value, quoted ? "\"" : "");
  }
  return fmt::format("looks like {}: if so, say{}", looks, flags);
}

// Only lse can be mistaken for another base; its error alone says so.
std::optional<std::string> other_base(const std::vector<std::string>& paths, const DumpWords& words, const Dump& dump,
                                      const Judged& judged) {
  const auto lse_is_wrong = [](const Judged& j) {
    const Figures& lse = j.of(Output::lse).figures;
    return lse.present && lse.verdict == Verdict::failed;
  };
  if (!lse_is_wrong(judged) || !lse_is_wrong(judge_first_group(dump))) return std::nullopt;
  for (const char* base : {"2", "e"}) {
    const auto other = try_read(paths, changed(words, {{&DumpWords::lse_base, "--lse-base", base, ""}}));
    if (!other || lse_is_wrong(judge_first_group(*other))) continue;
    return base[0] == '2' ? "lse looks like base 2: 1.4427 x; if so, say --lse-base 2"
                          : "lse looks like a natural logarithm: 0.6931 x; if so, say --lse-base e";
  }
  return std::nullopt;
}

// Whether a type holds all numbers of the tensors of one head each; an absent one has none.
bool holds(ElementType type, const ReadHead& read, const Shape& shape) {
  if (!read) return true;
  std::vector<double> rows(static_cast<std::size_t>(shape.rows * shape.dim));
  read(0, 0, rows);
  return std::all_of(rows.begin(), rows.end(), [type](double x) { return std::isnan(x) || round_to(type, x) == x; });
}

// The same as a kernel of the narrower type would have stored it; nothing if some number is none of that type.
std::optional<Foreign> narrowed(Foreign foreign, ElementType type) {
  const Problem& p = foreign.problem;
  const bool inputs = holds(type, foreign.q, p.shape_q()) && holds(type, foreign.k, p.shape_k()) &&
                      holds(type, foreign.v, p.shape_v()) && holds(type, foreign.d_o, p.shape_o());
  if (!inputs) return std::nullopt;
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    ForeignOutput& out = foreign.outputs[static_cast<std::size_t>(n)];
    const ElementType stored = output == Output::lse ? ElementType::f32 : type;
    if (!holds(stored, out.read, shape_of(p, output))) return std::nullopt;
    out.type = stored;
  }
  foreign.problem.type = type;
  return foreign;
}

// What a kernel computed in 16 bit, saved as f32, say, is judged as if it had been computed in f32.
std::optional<std::string> stored_wider(const Dump& dump) {
  const Foreign foreign = first_group(dump);
  for (const ElementType type : {ElementType::bf16, ElementType::f16, ElementType::f32}) {
    if (bytes_of(type) >= bytes_of(foreign.problem.type)) continue;
    const std::optional<Foreign> narrow = narrowed(foreign, type);
    if (!narrow || judge_foreign(*narrow, {.threads = all_threads()}).verdict() != Verdict::passed) continue;
    return fmt::format(
        "all numbers are those of {0} stored as {1}, and right for a kernel in {0}: if it is one, save "
        "its tensors as {0}",
        name_of(type), name_of(foreign.problem.type));
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> narrow_outputs(const Dump& dump, const Judged& judged) {
  std::vector<std::string> notes;
  const Foreign foreign = first_group(dump);
  for (int n = 0; n < output_kinds; ++n) {
    const Output output = static_cast<Output>(n);
    const ForeignOutput& out = foreign.of(output);
    const Figures& figures = judged.of(output).figures;
    if (figures.verdict != Verdict::failed || !out.read) continue;
    for (const ElementType type : {ElementType::bf16, ElementType::f16}) {
      const bool errs_as_rounded = figures.rel_fro <= 8 * unit_roundoff(type);
      if (bytes_of(type) >= bytes_of(out.type) || !errs_as_rounded ||
          !holds(type, out.read, shape_of(foreign.problem, output)))
        continue;
      notes.push_back(fmt::format("{0} holds nothing but {1} numbers, stored as {2}: it was rounded to {1} on the way",
                                  name_of(output), name_of(type), name_of(out.type)));
      break;
    }
  }
  return notes;
}

namespace {

// "causal", "window 24 0": the words of edges beside those that were said.
std::string mask_words(const Edges& edges, const Dump& dump) {
  if (edges.prefix) return fmt::format("prefix {}", *edges.prefix);
  const std::int64_t all = dump.problem.len_q + dump.problem.len_kv;
  const bool causal = dump.problem.mask.causal || (edges.right == 0 && !edges.left);
  std::string words = !causal ? "" : edges.bottom_right ? "causal bottom-right" : "causal";
  if (!edges.left && (!edges.right || causal)) return words;
  words += causal ? " " : "";
  return words + fmt::format("window {} {}", edges.left.value_or(all), causal ? 0 : edges.right.value_or(all));
}

// The last rows of the first group: where a window shows.
bool last_rows_are_right(const Dump& dump) {
  const Foreign group = one_group(foreign_of(dump), 0, 0);
  const std::int64_t rows = affordable_rows(group.problem, most_products), all = group.problem.len_q;
  if (rows == all) return true;
  return judge_foreign(some_rows(group, all - rows, rows), {.threads = all_threads()}).verdict() == Verdict::passed;
}

// Whether the mask is none, or causal from the first query and nothing else: then it may have edges that were not said.
bool may_have_edges(const Dump& dump) {
  Mask mask = dump.problem.mask;
  if (mask.causal && dump.problem.mask_rows().key_position(0) != 0) return false;
  mask.offset.reset(), mask.kv_lens.clear(), mask.causal = false;
  return mask == Mask{};
}

// Words that were not said, and that explain some rows when all are taken together.
std::optional<std::string> with_unsaid_words(const std::vector<std::string>& paths, const DumpWords& words,
                                             const Dump& dump) {
  if (!dump.case_line.empty() || words.problem) return std::nullopt;
  const MayBeUnsaid may{
      .softcap = dump.problem.terms.softcap == 0, .scale = !dump.problem.terms.scale, .edges = may_have_edges(dump)};
  const std::vector<Unsaid> found = find_unsaid(one_group(foreign_of(dump), 0, 0), may);
  for (std::size_t n = 0; n < std::min<std::size_t>(found.size(), 12); ++n) {
    const Unsaid& unsaid = found[n];
    std::vector<Change> changes;
    const auto change = [&](Word word, const char* flag, const std::string& value, const char* what) {
      changes.push_back({word, flag, value, what + value});
    };
    if (unsaid.edges != Edges{}) change(&DumpWords::mask, "--mask", mask_words(unsaid.edges, dump), "the mask ");
    if (unsaid.softcap) change(&DumpWords::softcap, "--softcap", text_of(*unsaid.softcap), "softcap ");
    if (unsaid.scale) change(&DumpWords::scale, "--scale", text_of(*unsaid.scale), "scale ");
    const auto other = try_read(paths, changed(words, changes));
    if (other && is_right(*other) && last_rows_are_right(*other)) return sentence(changes);
  }
  return std::nullopt;
}

// Every choice of one or none of each kind, fewest changes first.
std::vector<std::vector<Change>> combinations(const std::vector<std::vector<Change>>& kinds) {
  std::vector<std::vector<Change>> all{{}};
  for (const std::vector<Change>& kind : kinds) {
    const std::size_t before = all.size();
    for (std::size_t n = 0; n < before; ++n) {
      for (const Change& change : kind) {
        all.push_back(all[n]);
        all.back().push_back(change);
      }
    }
  }
  all.erase(all.begin());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return all;
}

std::vector<std::vector<Change>> kinds_of_change(const DumpWords& words, const Dump& dump) {
  const auto axes = [](Word word, const char* flag, const char* name, const char* prefix) {
    return Change{word, flag, name, prefix + std::string(name)};
  };
  std::vector<std::vector<Change>> kinds{
      {axes(&DumpWords::axes, "--axes", "BSHD", ""), axes(&DumpWords::axes, "--axes", "BHSD", "")}};
  if (dump.outputs[static_cast<std::size_t>(Output::lse)]) {
    kinds.push_back({axes(&DumpWords::lse_axes, "--lse-axes", "BSH", "lse of "),
                     axes(&DumpWords::lse_axes, "--lse-axes", "BHS", "lse of ")});
  }
  Mask mask = dump.problem.mask;
  mask.offset.reset();
  const bool free_mask = mask == Mask{} && !words.mask && !words.problem && dump.case_line.empty();
  if (free_mask) {
    kinds.push_back({{&DumpWords::mask, "--mask", "causal", "a causal mask"}});
    if (dump.problem.len_q != dump.problem.len_kv) {
      kinds.back().push_back(
          {&DumpWords::mask, "--mask", "causal bottom-right", "a causal mask, aligned bottom-right"});
    }
  }
  if (!dump.layout && !words.layout && dump.case_line.empty()) {
    kinds.emplace_back();
    for (const LayoutKind& kind : layout_kinds()) {
      for (const int ranks : {2, 4, 8}) {
        const std::string value = fmt::format("{} {}", kind.name, ranks);
        kinds.back().push_back({&DumpWords::layout, "--layout", value, "rows dealt as " + value});
      }
    }
  }
  return kinds;
}

}  // namespace

std::vector<std::string> described_otherwise(const std::vector<std::string>& paths, const DumpWords& words,
                                             const Dump& dump, const Judged& judged, LookFor what) {
  std::vector<std::string> hints;
  if (auto base = other_base(paths, words, dump, judged)) hints.push_back(std::move(*base));
  if (is_right(dump)) return hints;  // the first head is right as it is described
  if (auto wider = stored_wider(dump)) return {std::move(*wider)};
  const bool large = dump.problem.len_q * dump.problem.len_kv > most_pairs;
  for (const std::vector<Change>& changes : combinations(kinds_of_change(words, dump))) {
    if (large && changes.size() > 1) break;
    const auto other = try_read(paths, changed(words, changes));
    if (!other || !is_right_at_both_ends(*other)) continue;
    hints.push_back(sentence(changes));
    return hints;
  }
  if (what == LookFor::unsaid_words_too) {
    if (auto unsaid = with_unsaid_words(paths, words, dump)) hints.push_back(std::move(*unsaid));
  }
  return hints;
}

}  // namespace ringscope
