#include "backends/cpu/plugin_message.h"

namespace ringscope::cpu {

namespace {

constexpr std::array<ArgumentKind, argument_count> kinds{{
    {"q_position", offsetof(RingscopeBlock, q_position)},
    {"k_position", offsetof(RingscopeBlock, k_position)},
    {"first_span", offsetof(RingscopeBlock, first_span)},
    {"spans", offsetof(RingscopeBlock, spans)},
    {"keep", offsetof(RingscopeBlock, keep)},
    {"q", offsetof(RingscopeBlock, q)},
    {"k", offsetof(RingscopeBlock, k)},
    {"v", offsetof(RingscopeBlock, v)},
    {"m", offsetof(RingscopeBlock, m), Access::read_and_write},
    {"l", offsetof(RingscopeBlock, l), Access::read_and_write},
    {"o", offsetof(RingscopeBlock, o), Access::read_and_write},
    {"d_o", offsetof(RingscopeBlock, d_o)},
    {"lse", offsetof(RingscopeBlock, lse)},
    {"delta", offsetof(RingscopeBlock, delta)},
    {"dq", offsetof(RingscopeBlock, dq), Access::read_and_write},
    {"dk", offsetof(RingscopeBlock, dk), Access::read_and_write},
    {"dv", offsetof(RingscopeBlock, dv), Access::read_and_write},
}};

std::string place_of(std::int64_t offset, const Extent& extent) {
  const std::int64_t end = (extent.rows - 1) * extent.stride_bytes() + extent.row_bytes;
  if (offset < 0) return std::to_string(-offset) + " bytes before its beginning";
  if (offset == end) return "right behind its end";
  if (offset > end) return std::to_string(offset - end) + " bytes behind its end";
  return "behind row " + std::to_string(offset / extent.stride_bytes());
}

}  // namespace

const ArgumentKind& kind_of(Argument argument) {
  return kinds[static_cast<std::size_t>(argument)];
}

std::string sentence_of(const BlockReply& reply, const BlockRequest& request) {
  if (reply.outcome == BlockReply::Outcome::done) return "did its work";
  if (reply.outcome == BlockReply::Outcome::returned) return "returned error " + std::to_string(reply.code);
  if (reply.argument >= Argument::none) return "spoiled the memory of its process";
  const std::string name = kind_of(reply.argument).name;
  if (reply.outcome == BlockReply::Outcome::wrote_input) return "wrote to its input " + name;
  const bool wrote = reply.outcome == BlockReply::Outcome::wrote_outside;
  return std::string(wrote ? "wrote" : "read or wrote") + " outside of " + name + ", " +
         place_of(reply.offset, request.of(reply.argument));
}

}  // namespace ringscope::cpu
