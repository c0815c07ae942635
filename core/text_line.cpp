#include "core/text_line.h"

#include <algorithm>

#include "core/error.h"
#include "core/nearest.h"
#include "core/numbers.h"

namespace ringscope {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// A word of a broken file may be anything: what is shown of it is short and printable.
std::string quoted(std::string_view word) {
  constexpr std::size_t most = 40;
  std::string out = "`";
  for (const char c : word.substr(0, most)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (word.size() > most ? "...`" : "`");
}

}  // namespace

void TextLine::skip_spaces() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

bool TextLine::done() {
  skip_spaces();
  return at_ == text_.size();
}

bool TextLine::begins_with(char mark) {
  return !done() && text_[at_] == mark;
}

std::string_view TextLine::word() {
  skip_spaces();
  word_ = at_;
  while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
  if (word_ == at_) refuse("the end of the line", "one more word");
  return text_.substr(word_, at_ - word_);
}

std::string_view TextLine::rest() {
  skip_spaces();
  word_ = at_;
  at_ = text_.size();
  std::string_view out = text_.substr(word_);
  while (!out.empty() && is_space(out.back())) out.remove_suffix(1);
  return out;
}

std::int64_t TextLine::whole(std::int64_t least, std::int64_t most, std::string_view what) {
  const std::string_view text = word();
  const auto value = whole_number(text);
  if (!value || *value < least || *value > most) {
    refuse(quoted(text), std::string(what) + " from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *value;
}

void TextLine::expect(std::string_view wanted) {
  const std::string_view got = word();
  if (got != wanted) refuse(quoted(got), "`" + std::string(wanted) + "`");
}

std::size_t TextLine::choose(std::span<const std::string_view> allowed) {
  const std::string_view got = word();
  const auto found = std::ranges::find(allowed, got);
  if (found == allowed.end()) refuse(quoted(got), any_of(allowed), nearest_sentence(got.substr(0, 40), allowed));
  return static_cast<std::size_t>(found - allowed.begin());
}

void TextLine::require_end() {
  if (done()) return;
  refuse(quoted(word()), "the end of the line");
}

void TextLine::refuse(std::string got, std::string want, std::string fix) const {
  got += " at line " + std::to_string(number_) + ", column " + std::to_string(word_ + 1);
  throw Error(ErrorKind::bad_file, std::move(got), std::move(want), std::move(fix));
}

}  // namespace ringscope
