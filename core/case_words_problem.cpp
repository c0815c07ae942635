// The problem field: shape, type, masks, score terms, direction.
#include <limits>

#include "core/case_words.h"
#include "core/numbers.h"
#include "core/problem_limits.h"

namespace ringscope {

namespace {

using Read = std::function<bool(std::string_view, Case&)>;
using Print = std::function<std::string(const Case&)>;

bool set(std::int64_t& field, std::string_view text) {
  const auto value = whole_number(text);
  if (value) field = *value;
  return value.has_value();
}

bool set(double& field, std::string_view text) {
  const auto value = real_number(text);
  if (value) field = *value;
  return value.has_value();
}

// "8/2" or "8": both when there is only one.
bool set_pair(std::int64_t& first, std::int64_t& second, std::string_view text, char mark) {
  const Halves halves = split_at(text, mark);
  return set(first, halves.before) && set(second, halves.behind.value_or(halves.before));
}

std::string pair_text(const char* name, std::int64_t first, std::int64_t second, char mark) {
  const std::string one = name + std::to_string(first);
  return first == second ? one : one + mark + std::to_string(second);
}

void add_shape(std::vector<WordKind>& words) {
  constexpr ProblemLimits most;
  words.push_back({Topic::shape, "b", Takes::number_behind, "b1", "batch items",
                   [](std::string_view v, Case& c) { return set(c.problem.batch, v); },
                   [](const Case& c) { return "b" + std::to_string(c.problem.batch); }, whole_from(1, most.batch)});
  words.push_back({Topic::shape, "h", Takes::number_behind, "h8/2", "query heads / KV heads (h8 is h8/8)",
                   [](std::string_view v, Case& c) { return set_pair(c.problem.heads_q, c.problem.heads_kv, v, '/'); },
                   [](const Case& c) { return pair_text("h", c.problem.heads_q, c.problem.heads_kv, '/'); },
                   whole_from(1, most.heads)});
  words.push_back({Topic::shape, "s", Takes::number_behind, "s512", "tokens; s128x512 is 128 queries and 512 keys",
                   [](std::string_view v, Case& c) { return set_pair(c.problem.len_q, c.problem.len_kv, v, 'x'); },
                   [](const Case& c) { return pair_text("s", c.problem.len_q, c.problem.len_kv, 'x'); },
                   whole_from(1, most.len)});
  words.push_back({Topic::shape, "d", Takes::number_behind, "d64", "head dim; d64/32 is 64 for Q and K, 32 for V",
                   [](std::string_view v, Case& c) { return set_pair(c.problem.dim_qk, c.problem.dim_v, v, '/'); },
                   [](const Case& c) { return pair_text("d", c.problem.dim_qk, c.problem.dim_v, '/'); },
                   whole_from(1, most.dim)});
}

void add_type(std::vector<WordKind>& words, ElementType type, const char* sentence) {
  const std::string name(name_of(type));
  words.push_back({Topic::type, name, Takes::nothing, name, sentence,
                   [type](std::string_view, Case& c) {
                     c.problem.type = type;
                     return true;
                   },
                   [type, name](const Case& c) { return c.problem.type == type ? name : std::string(); }});
}

void add_types(std::vector<WordKind>& words) {
  add_type(words, ElementType::f64, "64-bit floats; sums in 64 bits");
  add_type(words, ElementType::f32, "32-bit floats");
  add_type(words, ElementType::bf16, "16-bit floats with 8 bits of precision; sums in 32 bits");
  add_type(words, ElementType::f16, "16-bit floats with 11 bits of precision; sums in 32 bits");
  add_type(words, ElementType::e4m3, "8-bit floats for Q, K and V; O, dO and gradients are bf16");
}

void add_mask(std::vector<WordKind>& words, const char* name, const char* example, const char* sentence, Read read,
              Print print, std::string numbers = {}) {
  const Takes takes = std::string_view(name) == example ? Takes::nothing : Takes::value;
  words.push_back({Topic::mask, name, takes, example, sentence, std::move(read), std::move(print), std::move(numbers)});
}

bool read_window(std::string_view value, Case& c) {
  const auto sides = whole_numbers(value);
  if (!sides || sides->size() != 2) return false;
  c.problem.mask.window = Window{(*sides)[0], (*sides)[1]};
  return true;
}

bool read_list(std::vector<std::int64_t>& field, std::string_view value) {
  const auto values = whole_numbers(value);
  if (values) field = *values;
  return values.has_value();
}

std::string if_said(const char* name, const std::optional<std::int64_t>& value) {
  return value ? name + std::to_string(*value) : std::string();
}

void add_masks(std::vector<WordKind>& words) {
  add_mask(
      words, "full", "full", "every query sees every key (the default)", [](std::string_view, Case&) { return true; },
      [](const Case&) { return std::string(); });
  add_mask(
      words, "causal", "causal", "a query at key position p sees the keys up to p",
      [](std::string_view, Case& c) { return c.problem.mask.causal = true; },
      [](const Case& c) { return std::string(c.problem.mask.causal ? "causal" : ""); });
  add_mask(
      words, "prefix", "prefix=32", "causal, but every query also sees the first 32 keys",
      [](std::string_view v, Case& c) { return set(c.problem.mask.prefix.emplace(), v); },
      [](const Case& c) { return if_said("prefix=", c.problem.mask.prefix); }, "a whole number from 0 to Skv");
  add_mask(
      words, "window", "window=64,0",
      "a query sees at most 64 keys to the left and 0 to the right of its own (-1: unlimited)", read_window,
      [](const Case& c) {
        const auto& w = c.problem.mask.window;
        return w ? "window=" + std::to_string(w->left) + "," + std::to_string(w->right) : std::string();
      },
      "two whole numbers from -1 on");
  add_mask(
      words, "docs", "docs=0,50,128", "packed documents by their boundaries; a query sees its own document only",
      [](std::string_view v, Case& c) { return read_list(c.problem.mask.docs, v); },
      [](const Case& c) {
        return c.problem.mask.docs.empty() ? std::string() : "docs=" + text_of(c.problem.mask.docs);
      },
      "at least two rising whole numbers from 0 to Skv");
  add_mask(
      words, "chunk", "chunk=64", "a query sees its own run of 64 tokens only",
      [](std::string_view v, Case& c) { return set(c.problem.mask.chunk, v) && c.problem.mask.chunk > 0; },
      [](const Case& c) {
        return c.problem.mask.chunk == 0 ? std::string() : "chunk=" + std::to_string(c.problem.mask.chunk);
      },
      "a whole number from 1 on");
  add_mask(
      words, "sinks", "sinks=4", "the first 4 keys of the document stay visible where only the window hides them",
      [](std::string_view v, Case& c) { return set(c.problem.mask.sinks, v) && c.problem.mask.sinks > 0; },
      [](const Case& c) {
        return c.problem.mask.sinks == 0 ? std::string() : "sinks=" + std::to_string(c.problem.mask.sinks);
      },
      "a whole number from 1 on");
  add_mask(
      words, "offset", "offset=384", "query i sits at key position i + 384 (Skv - Sq if not said; 0: top-left)",
      [](std::string_view v, Case& c) { return set(c.problem.mask.offset.emplace(), v); },
      [](const Case& c) { return if_said("offset=", c.problem.mask.offset); }, "a whole number; it may be below 0");
  add_mask(
      words, "kv-lens", "kv-lens=17,64", "how many keys each batch item really has",
      [](std::string_view v, Case& c) { return read_list(c.problem.mask.kv_lens, v); },
      [](const Case& c) {
        return c.problem.mask.kv_lens.empty() ? std::string() : "kv-lens=" + text_of(c.problem.mask.kv_lens);
      },
      "a whole number from 0 to Skv for each batch item");
}

WordKind real_term(const char* name, const char* example, const char* sentence, const char* numbers,
                   double ScoreTerms::*field) {
  return {
      Topic::term,
      name,
      Takes::value,
      example,
      sentence,
      [field](std::string_view v, Case& c) { return set(c.problem.terms.*field, v) && c.problem.terms.*field != 0; },
      [field, name](const Case& c) {
        const double value = c.problem.terms.*field;
        return value == 0 ? std::string() : std::string(name) + "=" + text_of(value);
      },
      numbers};
}

WordKind switch_term(const char* name, const char* sentence, bool ScoreTerms::*field) {
  return {Topic::term,
          name,
          Takes::nothing,
          name,
          sentence,
          [field](std::string_view, Case& c) { return c.problem.terms.*field = true; },
          [field, name](const Case& c) { return std::string(c.problem.terms.*field ? name : ""); }};
}

void add_terms(std::vector<WordKind>& words) {
  words.push_back(
      {Topic::term, "scale", Takes::value, "scale=0.125", "scores are 0.125 q.k (1/sqrt(Dqk) if not said)",
       [](std::string_view v, Case& c) { return set(c.problem.terms.scale.emplace(), v); },
       [](const Case& c) { return c.problem.terms.scale ? "scale=" + text_of(*c.problem.terms.scale) : std::string(); },
       "a finite number"});
  words.push_back(real_term("softcap", "softcap=30", "a score s becomes 30 tanh(s / 30)", "a number above 0",
                            &ScoreTerms::softcap));
  words.push_back(switch_term("alibi", "head h adds 2^(-8(h+1)/Hq) (j - p) to its scores", &ScoreTerms::alibi));
  words.push_back(real_term("rope", "rope=10000", "Q and K are turned by their global positions, with base 10000",
                            "a number above 1", &ScoreTerms::rope_base));
  words.push_back(switch_term("sink-logit", "one learned logit per head joins the softmax and carries no value",
                              &ScoreTerms::sink_logit));
  words.push_back(real_term("dropout", "dropout=0.1", "a weight is dropped with probability 0.1, the same at any N",
                            "a number above 0 and below 1", &ScoreTerms::dropout));
}

void add_direction(std::vector<WordKind>& words, const char* name, const char* sentence, Direction direction) {
  words.push_back({Topic::direction, name, Takes::nothing, name, sentence,
                   [direction](std::string_view, Case& c) {
                     c.problem.direction = direction;
                     return true;
                   },
                   [direction, name](const Case& c) {
                     const bool said = c.problem.direction == direction && default_direction(c.recipe) != direction;
                     return std::string(said ? name : "");
                   }});
}

}  // namespace

std::vector<WordKind> problem_words() {
  std::vector<WordKind> words;
  add_shape(words);
  add_types(words);
  add_masks(words);
  add_terms(words);
  add_direction(words, "fwd", "forward only (the default for schedules without a backward)", Direction::forward);
  add_direction(words, "bwd", "forward and backward (the default)", Direction::forward_and_backward);
  return words;
}

}  // namespace ringscope
