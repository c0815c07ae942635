#include "core/schedule_text.h"

#include "core/error.h"
#include "core/schedule_check.h"
#include "core/suites.h"
#include "formats/byte_reader.h"
#include "tests/fuzz/fuzz.h"

namespace ringscope {

namespace {

// The proof's time grows with these, by right.
bool is_small(const Plan& plan) {
  const Problem& p = plan.problem;
  return plan.layout.ranks <= 16 && p.batch <= 4 && p.heads_q <= 16 && p.len_q <= 256 && p.len_kv <= 256;
}

}  // namespace

void fuzz_one(std::span<const std::byte> input) {
  try {
    const Plan read = parse_schedule_text(text_in(input));
    ensure(parse_schedule_text(schedule_text(read)) == read, "a schedule's text comes back as it was");
    if (is_small(read)) prove(read);
  } catch (const Error& e) {
    ensure(e.kind == ErrorKind::bad_file && *e.what() != '\0', "a wrong schedule is refused in a sentence");
  }
}

std::vector<std::string> fuzz_seeds() {
  constexpr int cases = 60;
  constexpr std::size_t longest = 1 << 14;
  std::vector<std::string> texts;
  for (const Case& c : random_cases(cases, 1)) {
    std::string text = schedule_text(make_plan(c.problem, c.recipe));
    if (text.size() < longest) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace ringscope
