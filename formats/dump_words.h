// The words that describe a dump, in the meaning of docs/formats.md (not of the case line: `causal` is top-left here).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/layout.h"
#include "core/mask.h"

namespace ringscope {

// Where a word was said, for errors: "--mask" or "metadata `mask` of FILE".
struct Said {
  std::string text, where;
  bool by_flag = false;  // what lies beyond the tensors is refused; of a file it is taken as "all of it"
};

enum class Axes : std::uint8_t { bhsd, bshd };  // lse: BHS, BSH
enum class LogBase : std::uint8_t { e, two };

Mask read_mask_words(const Said& said, std::int64_t len_q, std::int64_t len_kv);
// The words for a mask but for its kv lengths; nothing where there are none.
std::optional<std::string> mask_words_of(const Mask& mask, std::int64_t len_q, std::int64_t len_kv);
Axes read_axes(const Said& said);      // BHSD or BSHD
Axes read_lse_axes(const Said& said);  // BHS or BSH
LogBase read_lse_base(const Said& said);
double read_real(const Said& said);
std::vector<std::int64_t> read_lengths(const Said& said, std::int64_t batch, std::int64_t len_kv);

// "zigzag 4"
struct DumpLayout {
  LayoutSpec spec;
  int ranks = 1;
};
DumpLayout read_layout_words(const Said& said);

}  // namespace ringscope
