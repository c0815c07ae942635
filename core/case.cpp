#include "core/case.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/case_words.h"
#include "core/error.h"
#include "core/faults/fault.h"
#include "core/nearest.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

[[noreturn]] void refuse(std::string got, std::string want, std::string fix = {}) {
  throw Error(ErrorKind::bad_request, std::move(got), std::move(want), std::move(fix));
}

std::string quoted(std::string_view text) {
  return "`" + std::string(text) + "`";
}

// What was typed, and what it is: "b1" is {word b, value 1}.
struct Typed {
  const WordKind* kind = nullptr;
  std::string_view text;
  std::optional<std::string_view> value;
};

std::vector<std::string_view> words_in(std::string_view field) {
  std::vector<std::string_view> words;
  constexpr std::string_view spaces = " \t\r\n";
  for (std::size_t begin = field.find_first_not_of(spaces); begin != std::string_view::npos;) {
    const std::size_t end = std::min(field.find_first_of(spaces, begin), field.size());
    words.push_back(field.substr(begin, end - begin));
    begin = field.find_first_not_of(spaces, end);
  }
  return words;
}

bool begins_a_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

std::optional<Typed> find_word(Field field, std::string_view text) {
  const Halves halves = split_at(text, '=');
  for (const WordKind& kind : words_of(field)) {
    if (kind.takes == Takes::itself) continue;
    const bool behind = kind.takes == Takes::number_behind;
    if (!behind && kind.name == halves.before) return Typed{&kind, text, halves.behind};
    if (!behind || !text.starts_with(kind.name)) continue;
    const std::string_view rest = text.substr(kind.name.size());
    if (rest.empty() || begins_a_number(rest[0])) return Typed{&kind, text, rest};
  }
  return std::nullopt;
}

std::optional<Typed> find_name(Field field, std::string_view text) {
  for (const WordKind& kind : words_of(field)) {
    if (kind.takes == Takes::itself) return Typed{&kind, text, text};
  }
  return std::nullopt;
}

struct Suggestion {
  std::string_view example;  // empty: no word is close
  int edits = std::numeric_limits<int>::max();
};

// Examples are what people can copy; a wrong word is measured against names.
Suggestion nearest_word(Field field, std::string_view text) {
  std::vector<std::string_view> names, examples;
  for (const WordKind& kind : words_of(field)) {
    examples.push_back(kind.example);
    names.push_back(kind.takes == Takes::number_behind || kind.name.empty() ? kind.example : kind.name);
  }
  const std::string_view name = split_at(text, '=').before;
  const std::string_view near = nearest(name, names);
  if (near.empty()) return {};
  return {examples[static_cast<std::size_t>(std::find(names.begin(), names.end(), near) - names.begin())],
          edits_between(name, near)};
}

[[noreturn]] void refuse_unknown(Field field, std::string_view text) {
  std::vector<std::string_view> examples;
  for (const WordKind& kind : words_of(field)) examples.push_back(kind.example);
  Suggestion best = nearest_word(field, text);
  std::string where;
  for (int other = 0; other < case_fields; ++other) {
    const Suggestion there = nearest_word(static_cast<Field>(other), text);
    if (there.edits >= best.edits) continue;
    best = there;
    where = ", in the " + std::string(name_of(static_cast<Field>(other))) + " field";
  }
  refuse(quoted(text) + " in the " + std::string(name_of(field)) + " field", any_of(examples),
         best.example.empty() ? "" : "the nearest right word is " + quoted(best.example) + where);
}

Typed recognise(Field field, std::string_view text) {
  if (const auto typed = find_word(field, text)) return *typed;
  for (int other = 0; other < case_fields; ++other) {
    const Field home = static_cast<Field>(other);
    if (home == field || !find_word(home, text)) continue;
    refuse(quoted(text) + " in the " + std::string(name_of(field)) + " field",
           "it in the " + std::string(name_of(home)) + " field",
           "the fields are problem | recipe | backend | data, parted by |");
  }
  if (const auto typed = find_name(field, text)) return *typed;
  refuse_unknown(field, text);
}

void require_once(const std::vector<Typed>& before, const Typed& typed) {
  for (const Typed& b : before) {
    const bool one_of_topic = b.kind->topic == typed.kind->topic && is_single(typed.kind->topic);
    if (b.kind != typed.kind && !one_of_topic) continue;
    refuse(quoted(b.text) + " and " + quoted(typed.text),
           one_of_topic ? "one " + std::string(name_of(typed.kind->topic)) : quoted(typed.kind->name) + " once",
           b.value && b.value->find('=') != std::string_view::npos ? "a file in a case line has no spaces in its path"
                                                                   : "");
  }
}

void apply(const Typed& typed, Case& c) {
  const WordKind& kind = *typed.kind;
  const std::string meaning =
      quoted(kind.example) + " (" + kind.sentence + ")" + (kind.numbers.empty() ? "" : ": " + kind.numbers);
  const bool has_value = typed.value && !typed.value->empty();
  const bool wants_value = kind.takes == Takes::value || kind.takes == Takes::number_behind;
  if (wants_value && !has_value) refuse(quoted(typed.text) + " without a value", meaning);
  if (kind.takes == Takes::optional_value && typed.value && !has_value) {
    refuse(quoted(typed.text) + " without a value", meaning);
  }
  if (kind.takes == Takes::nothing && typed.value) {
    refuse(quoted(typed.text), quoted(kind.name) + ", which takes no value");
  }
  if (!kind.read(typed.value.value_or(std::string_view{}), c)) refuse(quoted(typed.text), "a word like " + meaning);
}

std::vector<Typed> read_field(Field field, std::string_view text, Case& c) {
  std::vector<Typed> typed;
  for (const std::string_view word : words_in(text)) {
    const Typed next = recognise(field, word);
    require_once(typed, next);
    apply(next, c);
    typed.push_back(next);
  }
  return typed;
}

bool has_topic(const std::vector<Typed>& words, Topic topic) {
  return std::any_of(words.begin(), words.end(), [&](const Typed& t) { return t.kind->topic == topic; });
}

void require_one_reach(const std::vector<Typed>& words, const Mask& mask) {
  const bool full = std::any_of(words.begin(), words.end(), [](const Typed& t) { return t.kind->name == "full"; });
  if (full && (mask.causal || mask.prefix)) refuse("`full` with a causal word", "`full`, or `causal` or `prefix=32`");
}

const FaultKind& known_fault(std::string_view name) {
  if (const FaultKind* kind = find_fault(name)) return *kind;
  std::vector<std::string_view> names;
  for (const FaultKind& kind : fault_kinds()) names.push_back(kind.name);
  refuse("fault " + quoted(name), any_of(names), nearest_sentence(name, names));
}

std::string print_field(Field field, const Case& c) {
  std::string out;
  for (const WordKind& kind : words_of(field)) {
    const std::string word = kind.print(c);
    if (!word.empty()) out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

}  // namespace

Case canonical(Case c) {
  for (const ScheduleKind& kind : schedule_kinds()) {
    if (kind.name != c.recipe.schedule || kind.styles.empty()) continue;
    if (c.recipe.backward == kind.styles.front()) c.recipe.backward.reset();
  }
  if (const FaultKind* fault = find_fault(c.fault.name)) c.fault.name = fault->name;
  return c;
}

void validate(const Case& c) {
  c.problem.validate();
  validate(c.recipe, c.problem);
  if (const auto why = refusal(c.problem, c.fill)) {
    refuse("the fill " + quoted(name_of(c.fill)) + " here", *why, "`random` goes with every problem");
  }
  if (!c.fault.name.empty()) known_fault(c.fault.name);
  if (c.backend.name.find_first_of(" \t\r\n|") != std::string::npos) {
    refuse("backend " + quoted(c.backend.name),
           "a path without spaces and |, which part the words and fields of a line",
           "link to the file from a plain path");
  }
}

Case parse_case(std::string_view line) {
  if (words_in(line).empty()) refuse("an empty case", "a line like `b1 h4 s64 causal | zigzag ring r4`");
  Case c;
  std::optional<std::string_view> rest = line;
  std::array<std::vector<Typed>, case_fields> words;
  for (int field = 0; rest; ++field) {
    if (field == case_fields) refuse("a fifth field", "at most four: problem | recipe | backend | data");
    const Halves halves = split_at(*rest, '|');
    words[static_cast<std::size_t>(field)] = read_field(static_cast<Field>(field), halves.before, c);
    rest = halves.behind;
  }
  require_one_reach(words[0], c.problem.mask);
  if (!has_topic(words[0], Topic::direction)) c.problem.direction = default_direction(c.recipe);
  validate(c);
  return canonical(c);
}

std::string to_line(const Case& c) {
  std::string out;
  for (int field = 0; field < case_fields; ++field) {
    out += (field == 0 ? "" : " | ") + print_field(static_cast<Field>(field), c);
  }
  return out;
}

std::string problem_line(const Problem& problem) {
  Case c;
  c.problem = problem;
  return print_field(Field::problem, c);
}

Problem parse_problem(std::string_view field) {
  Case c;
  const auto words = read_field(Field::problem, field, c);
  require_one_reach(words, c.problem.mask);
  c.problem.validate();
  return c.problem;
}

}  // namespace ringscope
