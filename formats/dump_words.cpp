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
    while (at_ < words_.size()) take(words_[at_++]);
    if (said_.by_flag) require_within(len_q, len_kv);
    if (mask_.prefix) mask_.prefix = std::min(*mask_.prefix, len_kv);
    keep_documents_below(std::max(len_q, len_kv));
    if (len_q == len_kv) {
      causal_ = causal_ || bottom_right_;
      bottom_right_ = false;
    }
    return bottom_right_ ? aligned_bottom_right(len_kv - len_q) : aligned_top_left(len_q == len_kv);
  }

 private:
  void take(std::string_view word) {
    if (word == "full") return;
    if (word == "causal") {
      const bool bottom_right = at_ < words_.size() && words_[at_] == "bottom-right";
      at_ += bottom_right ? 1 : 0;
      (bottom_right ? bottom_right_ : causal_) = true;
    } else if (word == "window") {
      if (mask_.window) refuse(said_, said_.text, "one window");
      const std::int64_t left = number(word), right = number(word);
      mask_.window = Window{left, right};
    } else if (word == "prefix") {
      const std::int64_t keys = number(word);
      mask_.prefix = std::min(keys, mask_.prefix.value_or(keys));
    } else if (word == "documents") {
      if (!mask_.docs.empty()) refuse(said_, said_.text, "one list of documents");
      while (at_ < words_.size() && whole_number(words_[at_])) mask_.docs.push_back(number(word));
      if (mask_.docs.size() < 2) refuse(said_, said_.text, "at least two boundaries: documents 0 30 80");
    } else {
      refuse(said_, word, any_of(mask_words), nearest_sentence(word, mask_words));
    }
  }

  void require_within(std::int64_t len_q, std::int64_t len_kv) const {
    if (mask_.prefix && *mask_.prefix > len_kv) {
      refuse(said_, "prefix " + std::to_string(*mask_.prefix), "a prefix from 0 to Skv = " + std::to_string(len_kv));
    }
    const std::int64_t longest = std::max(len_q, len_kv);
    if (!mask_.docs.empty() && mask_.docs.back() > longest) {
      refuse(said_, "documents to " + std::to_string(mask_.docs.back()),
             "boundaries from 0 to S = " + std::to_string(longest));
    }
  }

  void keep_documents_below(std::int64_t len) {
    for (std::int64_t& boundary : mask_.docs) boundary = std::min(boundary, len);
    const auto last = std::find(mask_.docs.begin(), mask_.docs.end(), len);
    if (last != mask_.docs.end()) mask_.docs.erase(last + 1, mask_.docs.end());
  }

  Mask aligned_top_left(bool square) {
    if (causal_) mask_.causal = true, mask_.prefix.reset();  // j <= i holds in both: prefix adds nothing
    if (!square) mask_.offset = 0;
    return mask_;
  }

  // `causal bottom-right` alone or with a window; `more`: Skv - Sq. Other words count from the first query, and one
  // mask has one alignment.
  Mask aligned_bottom_right(std::int64_t more) {
    const bool more_keys = more > 0;
    if (causal_ && more_keys) {  // j <= i is the stricter one
      bottom_right_ = false;
      return aligned_top_left(false);
    }
    if (mask_.prefix || !mask_.docs.empty()) refuse_alignment();
    mask_.causal = !mask_.window || !more_keys;
    if (!mask_.window) return mask_;
    if (more_keys) {  // j <= i + R and j <= i + more, both from the first query
      mask_.window->right = std::min(mask_.window->right, more);
      mask_.offset = 0;
    } else {  // j >= i - L, seen from i + more; to the right causal is the stricter one
      if (mask_.window->left + more < 0) refuse_alignment();
      mask_.window = Window{mask_.window->left + more, -1};
    }
    return mask_;
  }

  [[noreturn]] void refuse_alignment() const {
    refuse(said_, said_.text, "words with one alignment, since Sq is not Skv",
           "say the mask with --problem, in case-line words");
  }

  std::int64_t number(std::string_view word) {
    if (at_ == words_.size()) refuse(said_, said_.text, "a number after `" + std::string(word) + "`");
    const auto n = whole_number(words_[at_]);
    if (!n || *n < 0) {
      refuse(said_, words_[at_], "a whole number from 0 on after `" + std::string(word) + "`",
             word == "window" ? "a side without limit: leave a full side to --problem \"window=L,-1\"" : "");
    }
    ++at_;
    return *n;
  }

  const Said& said_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  bool causal_ = false, bottom_right_ = false;
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

std::optional<std::string> mask_words_of(const Mask& mask, std::int64_t len_q, std::int64_t len_kv) {
  if (mask.chunk > 0 || mask.sinks > 0) return std::nullopt;
  Mask plain = mask;
  plain.kv_lens.clear();
  const MaskRows rows(plain, len_q, len_kv);
  const auto number = [](std::int64_t n) { return " " + std::to_string(n); };
  const auto side = [&](std::int64_t n) { return number(n < 0 ? len_q + len_kv : n); };
  std::string words;
  if (mask.causal) words += rows.key_position(0) == 0 ? " causal" : " causal bottom-right";
  if (mask.prefix) words += " prefix" + number(*mask.prefix);
  if (mask.window) words += " window" + side(mask.window->left) + side(mask.window->right);
  if (!mask.docs.empty()) words += " documents";
  for (const std::int64_t boundary : mask.docs) words += number(boundary);
  words = words.empty() ? "full" : words.substr(1);
  try {  // an alignment that the words do not have shows in some row
    const MaskRows again(read_mask_words({words, "mask"}, len_q, len_kv), len_q, len_kv);
    for (std::int64_t i = 0; i < len_q; ++i) {
      const KeyInterval a = rows.row(0, i), b = again.row(0, i);
      if (a.size() != b.size() || (a.size() > 0 && (a.lo != b.lo || a.hi != b.hi))) return std::nullopt;
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return words;
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

std::vector<std::int64_t> read_lengths(const Said& said, std::int64_t batch, std::int64_t len_kv) {
  std::vector<std::int64_t> out;
  for (const std::string_view word : split(said.text)) {
    const auto n = whole_number(word);
    if (!n || *n < 0) refuse(said, word, "whole numbers from 0 on");
    if (said.by_flag && *n > len_kv) refuse(said, word, "lengths from 0 to Skv = " + std::to_string(len_kv));
    out.push_back(std::min(*n, len_kv));
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
