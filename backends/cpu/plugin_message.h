// What Ringscope and the process that holds a plug-in tell each other. Both are the same program: plain structs do.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "backends/cpu/guarded.h"
#include "backends/cpu/plugin_api.h"
#include "core/schedule.h"

namespace ringscope::cpu {

// The arrays of a RingscopeBlock, in the order in which they travel.
enum class Argument : std::uint8_t {
  q_position,
  k_position,
  first_span,
  spans,
  keep,
  q,
  k,
  v,
  m,
  l,
  o,
  d_o,
  lse,
  delta,
  dq,
  dk,
  dv,
  none
};
inline constexpr int argument_count = static_cast<int>(Argument::none);

struct ArgumentKind {
  const char* name;    // as plugin_api.h has it
  std::size_t offset;  // of its pointer in RingscopeBlock
  Access access = Access::read;
};
const ArgumentKind& kind_of(Argument argument);

// The first words of a plug-in's process.
struct Hello {
  enum class Trouble : std::int32_t { none, cannot_load, missing_symbol, no_info, wrong_api };
  Trouble trouble = Trouble::none;
  std::int32_t api = 0;
  std::uint32_t supports = 0;
  std::int32_t has_backward = 0;
  std::array<char, 512> text{};  // the plug-in's name, or what is wrong
};

// A call; the elements of every present argument follow, without gaps.
struct BlockRequest {
  Pass pass = Pass::forward;
  RingscopeBlock block{};                        // without pointers and strides
  std::array<Extent, argument_count> extents{};  // no rows: absent
  Extent& of(Argument a) { return extents[static_cast<std::size_t>(a)]; }
  const Extent& of(Argument a) const { return extents[static_cast<std::size_t>(a)]; }
};

// What came of it; after `done` the elements of all arguments that may be written follow.
struct BlockReply {
  enum class Outcome : std::int32_t { done, returned, wrote_input, reached_outside, wrote_outside };
  Outcome outcome = Outcome::done;
  std::int32_t code = 0;  // returned
  Argument argument = Argument::none;
  std::int64_t offset = 0;  // in bytes, from the first element
};

// "wrote outside of o, 8 bytes behind its end"
std::string sentence_of(const BlockReply& reply, const BlockRequest& request);

}  // namespace ringscope::cpu
