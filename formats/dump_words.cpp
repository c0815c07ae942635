#include "formats/dump_words.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.h"
#include "core/nearest.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

[[noreturn]] void refuse(const Said& said, std::string_view got, std::string want, std::string fix = {}) {
  throw Error(ErrorKind::bad_request, "`" + std::string(got) + "` in " + said.where, std::move(want), std::move(fix));
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view spaces = " \t,";
  for (std::size_t begin = text.find_first_not_of(spaces); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(spaces, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(spaces, end);
  }
  return words;
}

constexpr std::array<std::string_view, 6> mask_words{"full", "causal", "bottom-right", "window", "documents", "prefix"};

// Reads mask words one by one; numbers belong to the word before them.
class MaskReader {
 public:
  explicit MaskReader(const Said& said) : said_(said), words_(split(said.text)) {}

  Mask read(std::int64_t len_q, std::int64_t len_kv) {
    bool top_left = false;  // a word that counts positions from the first query
    while (at_ < words_.size()) {
      const std::string_view word = words_[at_++];
      if (word == "full") continue;
      if (word == "causal") {
        mask_.causal = true;
        if (at_ < words_.size() && words_[at_] == "bottom-right") {
          ++at_;
          bottom_right_ = true;
        } else {
          top_left = true;
        }
      } else if (word == "window") {
        const std::int64_t left = number(word), right = number(word);
        mask_.window = Window{left, right};
        top_left = true;
      } else if (word == "prefix") {
        mask_.prefix = number(word);
        top_left = true;
      } else if (word == "documents") {
        while (at_ < words_.size() && whole_number(words_[at_])) mask_.docs.push_back(number(word));
        if (mask_.docs.size() < 2) refuse(said_, said_.text, "at least two boundaries: documents 0 30 80");
        top_left = true;
      } else {
        refuse(said_, word, any_of(mask_words), nearest_sentence(word, mask_words));
      }
    }
    if (mask_.prefix) mask_.causal = false;  // prefix says it already
    if (len_q == len_kv) return mask_;
    if (bottom_right_ && top_left) {
      refuse(
          said_, said_.text,
          "words with one alignment, since Sq = " + std::to_string(len_q) + " is not Skv = " + std::to_string(len_kv),
          "say the mask with --problem, in case-line words");
    }
    if (!bottom_right_) mask_.offset = 0;
    return mask_;
  }

 private:
  std::int64_t number(std::string_view word) {
    if (at_ == words_.size()) refuse(said_, said_.text, "a number after `" + std::string(word) + "`");
    const auto n = whole_number(words_[at_]);
    if (!n) refuse(said_, words_[at_], "a whole number after `" + std::string(word) + "`");
    ++at_;
    return *n;
  }

  const Said& said_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  bool bottom_right_ = false;
  Mask mask_;
};

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

Axes axes_of(const Said& said, std::string_view heads_first, std::string_view rows_first) {
  const std::string word = upper(said.text);
  if (word == heads_first) return Axes::bhsd;
  if (word == rows_first) return Axes::bshd;
  refuse(said, said.text, "`" + std::string(heads_first) + "` or `" + std::string(rows_first) + "`");
}

}  // namespace

Mask read_mask_words(const Said& said, std::int64_t len_q, std::int64_t len_kv) {
  return MaskReader(said).read(len_q, len_kv);
}

Axes read_axes(const Said& said) {
  return axes_of(said, "BHSD", "BSHD");
}

Axes read_lse_axes(const Said& said) {
  return axes_of(said, "BHS", "BSH");
}

LogBase read_lse_base(const Said& said) {
  if (said.text == "e") return LogBase::e;
  if (said.text == "2") return LogBase::two;
  refuse(said, said.text, "`e` or `2`");
}

double read_real(const Said& said) {
  const auto value = real_number(said.text);
  if (!value) refuse(said, said.text, "a decimal number");
  return *value;
}

std::vector<std::int64_t> read_lengths(const Said& said, std::int64_t batch) {
  std::vector<std::int64_t> out;
  for (const std::string_view word : split(said.text)) {
    const auto n = whole_number(word);
    if (!n) refuse(said, word, "whole numbers");
    out.push_back(*n);
  }
  if (static_cast<std::int64_t>(out.size()) != batch) {
    refuse(said, said.text, "one length for each of the " + std::to_string(batch) + " batch entries");
  }
  return out;
}

DumpLayout read_layout_words(const Said& said) {
  const auto words = split(said.text);
  if (words.size() != 2) refuse(said, said.text, "a layout and its ranks, like `zigzag 4`");
  const Halves name = split_at(words[0], '=');
  std::vector<std::string_view> names;
  for (const LayoutKind& kind : layout_kinds()) names.push_back(kind.name);
  const auto kind = std::find_if(layout_kinds().begin(), layout_kinds().end(),
                                 [&](const LayoutKind& k) { return k.name == name.before; });
  if (kind == layout_kinds().end()) refuse(said, words[0], any_of(names), nearest_sentence(name.before, names));
  DumpLayout out;
  out.spec.name = std::string(name.before);
  if (name.behind) {
    const auto stripe = whole_number(*name.behind);
    if (!kind->takes_stripe || !stripe || *stripe < 1) refuse(said, words[0], "a layout like `striped=16`");
    out.spec.stripe = *stripe;
  }
  const auto ranks = whole_number(words[1]);
  if (!ranks || *ranks < 1 || *ranks > 4096) refuse(said, words[1], "a number of ranks from 1 to 4096");
  out.ranks = static_cast<int>(*ranks);
  return out;
}

}  // namespace ringscope
