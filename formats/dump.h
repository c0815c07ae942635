// Other people's attention: what one file, or one file per rank, says of a problem, its inputs and its outputs.
// Conventions: docs/formats.md (the words of ../shared/data/README.md in their meaning).
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/layout.h"
#include "core/problem.h"
#include "core/report.h"
#include "core/tensor.h"

namespace ringscope {

// One tensor in natural order [B, H, S, D], whatever axes, layout and shards the files have. Reads one head at a time.
struct DumpTensor {
  Shape shape;  // lse: dim 1
  ElementType type = ElementType::f32;
  std::function<void(std::int64_t batch, std::int64_t head, std::span<double> rows)> read_head;  // fills [S, D]

  Tensor read() const;  // all heads
};

// What a person says beside the files; flags win over metadata. Words as in the data README; absent: not said.
struct DumpWords {
  std::optional<std::string> mask, axes, layout, lse_base, lse_axes, kv_lengths, scale, softcap;
  std::optional<std::string> problem;        // case-line words with case meaning; never beside mask
  std::optional<double> empty_lse, empty_o;  // of rows that see no key
};

struct Dump {
  std::vector<std::string> paths;
  std::string source;     // metadata `source`, or empty
  std::string case_line;  // metadata `case` of `ringscope export`, or empty
  Problem problem;        // has a backward when do and a gradient are there
  DumpTensor q, k, v;
  std::optional<DumpTensor> d_o;
  std::array<std::optional<DumpTensor>, output_kinds> outputs;  // by Output; lse as natural logarithm
  std::vector<double> alibi_slopes;                             // [Hq]; empty without the tensor
  std::vector<double> sinks;                                    // [Hq]; empty without the tensor
  std::uint64_t dropout_seed = 0;                               // of the case line
  double empty_lse = -std::numeric_limits<double>::infinity();  // what a row that sees no key should hold
  double empty_o = 0;
  std::optional<Layout> layout;    // where the rows lived, if said: names rank and local row
  std::vector<std::string> notes;  // what was assumed, in sentences
};

// Throws Error(bad_file) or Error(bad_request) with what was got, wanted, and which flag says it.
Dump read_dump(std::span<const std::string> paths, const DumpWords& words);

}  // namespace ringscope
