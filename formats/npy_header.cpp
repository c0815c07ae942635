#include "formats/npy_header.h"

#include <limits>
#include <optional>
#include <string_view>

#include "core/numbers.h"
#include "formats/utf8.h"

namespace ringscope {

namespace {

constexpr std::uint64_t longest_npy_header = 65535;
constexpr std::size_t most_dimensions = 64;

class HeaderText {
 public:
  HeaderText(std::string_view text, const FilePlace& place) : rest_(text), place_(place) {}

  bool next_is(char c) {
    skip_spaces();
    return !rest_.empty() && rest_.front() == c;
  }
  bool take_if(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take_if(c)) refuse(std::string("`") + c + '`');
  }
  std::string_view quoted_text() {
    if (!next_is('\'') && !next_is('"')) refuse("a string");
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    const std::size_t end = rest_.find(quote);
    const std::string_view text = take(end);
    if (end == rest_.npos || text.find('\\') != text.npos) refuse("a plain string");
    rest_.remove_prefix(1);
    return text;
  }
  bool truth() {
    const std::string_view word = word_of("TrueFals");
    if (word != "True" && word != "False") refuse("True or False");
    return word == "True";
  }
  std::int64_t whole() {
    const std::optional<std::int64_t> number = whole_number(word_of("0123456789"));
    if (!number) refuse("a whole number from 0 to 9223372036854775807");
    return *number;
  }
  void require_end() {
    skip_spaces();
    if (!rest_.empty()) refuse("nothing behind the }");
  }

  [[noreturn]] void refuse(const std::string& wanted) const {
    place_.refuse(rest_.empty() ? "the end of the npy header" : "in the npy header " + quoted_name(rest_.substr(0, 40)),
                  wanted);
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view word_of(std::string_view letters) {
    skip_spaces();
    return take(rest_.find_first_not_of(letters));
  }

  std::string_view rest_;
  const FilePlace& place_;
};

std::vector<std::int64_t> read_shape(HeaderText& text) {
  std::vector<std::int64_t> shape;
  text.expect('(');
  while (!text.next_is(')')) {
    if (shape.size() == most_dimensions) text.refuse("at most " + std::to_string(most_dimensions) + " dimensions");
    shape.push_back(text.whole());
    if (!text.next_is(')') || shape.size() == 1) text.expect(',');  // (3) is a number in Python, no tuple
  }
  text.expect(')');
  return shape;
}

void read_descr(HeaderText& text, NpyHeader& header, const FilePlace& place) {
  constexpr std::string_view fix = "save plain arrays: np.savez(q=..., k=..., v=...)";
  if (text.next_is('[')) place.refuse("records", "one array of numbers", fix);
  header.descr = text.quoted_text();
  const std::string_view descr = header.descr;
  if (descr.find('O') != descr.npos) {
    place.refuse("pickled Python objects", "one array of numbers; pickles are never loaded", fix);
  }
  const std::string_view orders = "<>|", kinds = "fiubcUSVmM";
  const bool is_known = descr.size() >= 3 && orders.find(descr[0]) != orders.npos && kinds.find(descr[1]) != kinds.npos;
  const std::optional<std::int64_t> count = is_known ? whole_number(descr.substr(2)) : std::nullopt;
  const std::int64_t unit = is_known && descr[1] == 'U' ? 4 : 1;
  if (!count || *count < 0 || *count > std::numeric_limits<std::int64_t>::max() / unit) {
    place.refuse("descr " + quoted_name(descr), "a type of NumPy: <f8, <f4, <f2, ...", fix);
  }
  header.order = descr[0];
  header.kind = descr[1];
  header.item_bytes = *count * unit;
}

void read_dict(HeaderText text, NpyHeader& header, const FilePlace& place) {
  bool has_descr = false, has_order = false, has_shape = false;
  const auto once = [&](bool& has, std::string_view key) {
    if (has) place.refuse("key " + quoted_name(key) + " twice in the npy header", "each once");
    has = true;
  };
  text.expect('{');
  while (!text.next_is('}')) {
    const std::string_view key = text.quoted_text();
    text.expect(':');
    if (key == "descr") {
      once(has_descr, key);
      read_descr(text, header, place);
    } else if (key == "fortran_order") {
      once(has_order, key);
      header.fortran_order = text.truth();
    } else if (key == "shape") {
      once(has_shape, key);
      header.shape = read_shape(text);
    } else {
      place.refuse("key " + quoted_name(key) + " in the npy header", "descr, fortran_order and shape");
    }
    if (!text.next_is('}')) text.expect(',');
  }
  text.expect('}');
  text.require_end();
  if (!has_descr || !has_order || !has_shape) {
    place.refuse("an npy header without one of its keys", "descr, fortran_order and shape");
  }
}

}  // namespace

NpyHeader read_npy_header(Bytes npy, const FilePlace& place) {
  ByteReader reader(npy);
  if (text_in(reader.take(6)) != "\x93NUMPY") {
    place.refuse("bytes that are no npy array", "arrays that NumPy saved", "save with np.savez(q=..., k=..., v=...)");
  }
  const unsigned version = reader.u16();  // major in the low byte
  const unsigned major = version & 0xFFU;
  if (version != 1 && version != 2 && version != 3) {
    place.refuse("npy version " + std::to_string(major) + '.' + std::to_string(version >> 8), "1.0, 2.0 or 3.0");
  }
  const std::uint64_t length = major == 1 ? reader.u16() : reader.u32();
  const Bytes text = reader.take(length);
  if (reader.ended()) place.refuse("an npy header beyond the entry's end", "one inside it");
  if (length > longest_npy_header) {
    place.refuse("an npy header of " + std::to_string(length) + " bytes",
                 "at most " + std::to_string(longest_npy_header));
  }
  NpyHeader header{.data_begin = npy.size() - reader.rest().size()};
  read_dict(HeaderText(text_in(text), place), header, place);
  return header;
}

}  // namespace ringscope
