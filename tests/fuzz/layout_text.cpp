#include "core/error.h"
#include "core/layout.h"
#include "core/problem.h"
#include "formats/byte_reader.h"
#include "tests/fuzz/fuzz.h"

namespace ringscope {

namespace {
constexpr int most_ranks = 8;  // the input's first byte picks the ranks
constexpr std::int64_t length = 19;
}  // namespace

void fuzz_one(std::span<const std::byte> input) {
  if (input.empty()) return;
  const int ranks = std::to_integer<int>(input[0]) % most_ranks + 1;
  try {
    const Layout read = parse_layout_text(text_in(input.subspan(1)), ranks);
    ensure(parse_layout_text(layout_text(read), ranks) == read, "a layout's text comes back as it was");
    read.validate(length, length);
  } catch (const Error& e) {
    ensure((e.kind == ErrorKind::bad_file || e.kind == ErrorKind::bad_request) && *e.what() != '\0',
           "a wrong layout is refused in a sentence");
  }
}

std::vector<std::string> fuzz_seeds() {
  Problem problem;
  problem.len_q = problem.len_kv = length;
  std::vector<std::string> texts;
  for (int ranks = 1; ranks <= most_ranks; ++ranks) {
    for (const LayoutKind& kind : layout_kinds()) {
      for (const int blocks : {1, 2}) {
        const Layout layout = make_layout({.name = std::string(kind.name)}, problem, ranks, blocks);
        texts.push_back(static_cast<char>(ranks - 1) + layout_text(layout));
      }
    }
  }
  return texts;
}

}  // namespace ringscope
