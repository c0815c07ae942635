// One line of a file, read word by word; what is wrong is refused with line and column.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ringscope {

class TextLine {
 public:
  TextLine(std::string_view text, int number) : text_(text), number_(number) {}

  bool done();                  // nothing but spaces is left
  bool begins_with(char mark);  // behind the spaces
  std::string_view word();      // the next word; refuses the end of the line
  std::string_view rest();      // what is left, without spaces around it
  std::int64_t whole(std::int64_t least, std::int64_t most, std::string_view what);
  // The next word, which must be `wanted` or one of the allowed.
  void expect(std::string_view wanted);
  std::size_t choose(std::span<const std::string_view> allowed);
  void require_end();

  // Throws Error(bad_file) at the word that was read last.
  [[noreturn]] void refuse(std::string got, std::string want, std::string fix = {}) const;

 private:
  void skip_spaces();

  std::string_view text_;
  int number_;
  std::size_t at_ = 0, word_ = 0;
};

}  // namespace ringscope
