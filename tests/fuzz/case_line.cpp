#include "core/case.h"

#include "core/error.h"
#include "core/suites.h"
#include "formats/byte_reader.h"
#include "tests/fuzz/fuzz.h"

namespace ringscope {

void fuzz_one(std::span<const std::byte> input) {
  try {
    const Case read = parse_case(text_in(input));
    ensure(parse_case(to_line(read)) == read, "a case line comes back as it was");
  } catch (const Error& e) {
    ensure(e.kind == ErrorKind::bad_request && *e.what() != '\0', "a wrong case line is refused in a sentence");
  }
}

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> lines = {
      "b2 h6/2 s128x512 d64/32 bf16 window=64,0 sinks=4 scale=0.125 softcap=30 alibi | zigzag-docs usp r2x4 kv-copies "
      "backward=qside order=snake prune | cpu:eigen threads=2 tile=32 | needle seed=7 fault=drop-block@r2,t1",
      "s90 docs=0,50,90 kv-lens=17 offset=3 rope=10000 sink-logit dropout=0.1 | custom=FILE#00ff r4"};
  constexpr int cases = 60;
  for (const Case& c : random_cases(cases, 1)) lines.push_back(to_line(c));
  return lines;
}

}  // namespace ringscope
