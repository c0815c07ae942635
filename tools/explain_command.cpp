// `ringscope explain`: what a case line says, what it leaves to defaults, and what will happen.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/case_words.h"
#include "core/faults/fault.h"
#include "core/pair_count.h"
#include "core/schedule_check.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/memory.h"
#include "tools/stage.h"

namespace ringscope {

namespace {

struct Said {
  Field field;
  std::string word, sentence;
};

// The words of the canonical line, defaults among them.
std::vector<Said> words_said(const Case& c) {
  std::vector<Said> said;
  for (int field = 0; field < case_fields; ++field) {
    for (const WordKind& kind : words_of(static_cast<Field>(field))) {
      const std::string word = kind.print(c);
      if (!word.empty()) said.push_back({static_cast<Field>(field), word, kind.sentence});
    }
  }
  return said;
}

// What holds because the line does not say otherwise.
std::vector<std::string> defaults_of(const Case& c) {
  std::vector<std::string> out;
  const Problem& p = c.problem;
  if (p.mask == Mask{}) out.push_back("full: every query sees every key");
  if (!p.mask.offset) {
    out.push_back(fmt::format("offset={}: query i sits at key position i + {} (Skv - Sq)", p.len_kv - p.len_q,
                              p.len_kv - p.len_q));
  }
  if (!p.terms.scale) out.push_back(fmt::format("scale={:.6g}: 1/sqrt(Dqk)", p.scale()));
  if (p.terms == ScoreTerms{.scale = p.terms.scale}) {
    out.push_back("no softcap, alibi, rope, sink-logit or dropout");
  }
  if (p.direction == default_direction(c.recipe)) {
    out.push_back(p.has_backward() ? "bwd: forward and backward" : "fwd: this schedule has no backward");
  }
  for (const ScheduleKind& kind : schedule_kinds()) {
    if (kind.name != c.recipe.schedule || !p.has_backward() || c.recipe.backward) continue;
    out.push_back(fmt::format("backward={}", name_of(kind.styles.front())));
  }
  if (!c.recipe.prune) out.push_back("no prune: every KV block makes all its hops");
  if (c.backend.threads == 0) out.push_back("threads: the backend chooses (cores over ranks, at least 1)");
  if (c.backend.tile == 0) out.push_back("tile: the backend chooses");
  if (c.backend.link_mb == 0) out.push_back("link-mb: messages arrive at once");
  if (c.fault.name.empty()) out.push_back("no fault is planted");
  return out;
}

std::int64_t total_bytes(const PassFacts& facts) {
  std::int64_t bytes = 0;
  for (const LinkBytes& link : facts.links) bytes += link.bytes;
  return bytes;
}

std::int64_t total_transfers(const PassFacts& facts) {
  std::int64_t n = 0;
  for (const std::int64_t t : facts.transfers) n += t;
  return n;
}

std::string pass_sentence(const char* name, const PassFacts& facts) {
  return fmt::format(
      "The {} moves {} slices between ranks, {} bytes in all; balance {:.3f}, lockstep efficiency {:.3f}.", name,
      total_transfers(facts), total_bytes(facts), balance(facts), lockstep_efficiency(facts));
}

std::string rows_sentence(const Layout& layout) {
  std::int64_t least = -1, most = 0;
  for (int r = 0; r < layout.ranks; ++r) {
    std::int64_t rows = 0;
    for (int b = 0; b < layout.blocks_per_rank; ++b) rows += layout.rows(Side::q, r * layout.blocks_per_rank + b);
    least = least < 0 ? rows : std::min(least, rows);
    most = std::max(most, rows);
  }
  const std::string rows = least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
  return fmt::format("{} rank{} own{} {} queries each, in {} block{} each.", layout.ranks, layout.ranks == 1 ? "" : "s",
                     layout.ranks == 1 ? "s" : "", rows, layout.blocks_per_rank,
                     layout.blocks_per_rank == 1 ? "" : "s");
}

const char* how_a_fault_shows(FaultFamily family) {
  switch (family) {
    case FaultFamily::schedule:
      return "The proof should refuse the plan, and then nothing is run.";
    case FaultFamily::transport:
      return "The run should end with an error that names the place.";
    case FaultFamily::numeric:
      return "The plan is right; the comparison with the oracle should fail.";
  }
  return "";
}

std::string fault_sentence(const Case& c, const Plan& plan) {
  const FaultKind* kind = find_fault(c.fault.name);
  const auto site = choose_site(*kind, plan, c.fault, c.seed);
  if (!site) return "The fault does not apply, and the run is skipped: " + why_no_site(*kind, plan, c.fault) + ".";
  return fmt::format("A fault is planted: {}. {}", site->sentence, how_a_fault_shows(kind->family));
}

// The proof has counted them.
std::int64_t pairs_of_a_head(const Problem& problem, const Proof& proof) {
  if (!proof.holds()) return total_pairs(problem);
  std::int64_t pairs = 0;
  for (const auto& rank : proof.facts.forward.pairs)
    pairs += std::accumulate(rank.begin(), rank.end(), std::int64_t{0});
  return pairs / problem.heads_q;
}

std::vector<std::string> what_will_happen(const Case& c) {
  std::vector<std::string> out;
  require_known_backend(c.backend);
  const Plan plan = make_plan(c.problem, c.recipe, {free_memory_bytes()});
  out.push_back(rows_sentence(plan.layout));
  const Proof proof = prove_told(plan);
  const std::int64_t pairs = pairs_of_a_head(c.problem, proof);
  out.push_back(fmt::format("The mask leaves {} of {} pairs for each query head, {} for all heads.", pairs,
                            c.problem.batch * c.problem.len_q * c.problem.len_kv, pairs * c.problem.heads_q));
  int forward = 0;
  for (int t = 0; t < plan.schedule.steps(); ++t) forward += plan.schedule.pass(t) == Pass::forward ? 1 : 0;
  out.push_back(fmt::format("The schedule has {} forward and {} backward steps with {} moves and {} attends.", forward,
                            plan.schedule.steps() - forward, plan.schedule.moves.size(), plan.schedule.attends.size()));
  out.push_back(proof.holds()
                    ? "It is proved before it is run: every allowed pair once, data there when used, no deadlock."
                    : "The proof refuses it: " + proof.violations.front().sentence);
  if (proof.holds()) out.push_back(pass_sentence("forward", proof.facts.forward));
  if (proof.holds() && proof.facts.has_backward) out.push_back(pass_sentence("backward", proof.facts.backward));
  out.push_back(
      fmt::format("{} runs it on numbers of the fill {} with seed {}, and the outputs are compared with an "
                  "fp64 oracle.",
                  c.backend.name, name_of(c.fill), c.seed));
  if (!c.fault.name.empty()) out.push_back(fault_sentence(c, plan));
  return out;
}

void print_text(const Case& c) {
  const std::vector<std::string> happens = what_will_happen(c);  // refuses what cannot be, before anything is said
  fmt::print("{}\n", to_line(c));
  std::size_t widest = 0;
  const std::vector<Said> said = words_said(c);
  for (const Said& s : said) widest = std::max(widest, s.word.size());
  std::optional<Field> field;
  for (const Said& s : said) {
    if (field != s.field) fmt::print("\n{}\n", name_of(s.field));
    field = s.field;
    fmt::print("  {:<{}}  {}\n", s.word, widest, s.sentence);
  }
  fmt::print("\nnot said, so by default\n");
  for (const std::string& line : defaults_of(c)) fmt::print("  {}\n", line);
  fmt::print("\nwhat will happen\n");
  for (const std::string& line : happens) fmt::print("  {}\n", line);
}

void print_json(const Case& c) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array();
  for (const Said& s : words_said(c)) {
    words.push_back({{"field", name_of(s.field)}, {"word", s.word}, {"sentence", s.sentence}});
  }
  const nlohmann::ordered_json json = {
      {"case", to_line(c)}, {"words", words}, {"defaults", defaults_of(c)}, {"what_will_happen", what_will_happen(c)}};
  fmt::print("{}\n", json.dump());
}

struct ExplainArguments {
  std::string line;
  bool json = false;
};

}  // namespace

void add_explain(const Command& program) {
  const Command explain =
      program.add("explain", "says what a case line means: its words, its defaults, what will happen",
                  {"ringscope explain \"b1 h8/2 s512 d64 bf16 causal | zigzag ring r8\"",
                   "ringscope explain \"causal | usp r2x4 kv-copies\" --json"});
  const auto arguments = std::make_shared<ExplainArguments>();
  explain.add_needed_value("CASE", arguments->line, "one quoted case line");
  explain.add_flag("--json", arguments->json, "one object on stdout");
  explain.on_run([arguments] {
    const Case c = parse_case(arguments->line);
    arguments->json ? print_json(c) : print_text(c);
  });
}

}  // namespace ringscope
