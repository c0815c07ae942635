#include "tests/pictures/xml_check.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <vector>

namespace ringscope {

namespace {

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == ':' || c == '.';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::optional<std::string> fault() {
    while (!rest_.empty() && !fault_) {
      if (rest_.front() == '<') {
        tag();
      } else {
        words();
      }
    }
    if (!fault_ && !open_.empty()) fail("<" + open_.back() + "> is not closed");
    if (!fault_ && roots_ != 1) fail(std::to_string(roots_) + " roots");
    return fault_;
  }

 private:
  void fail(std::string reason) {
    if (!fault_) fault_ = std::move(reason);
  }
  bool take(std::string_view words) {
    if (!rest_.starts_with(words)) return false;
    rest_.remove_prefix(words.size());
    return true;
  }
  std::string name() {
    std::size_t n = 0;
    while (n < rest_.size() && is_name_letter(rest_[n])) ++n;
    std::string out(rest_.substr(0, n));
    rest_.remove_prefix(n);
    if (out.empty()) fail("a name is missing before \"" + std::string(rest_.substr(0, 20)) + "\"");
    return out;
  }
  void spaces() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) rest_.remove_prefix(1);
  }
  void check_entities(std::string_view words) {
    constexpr std::array<std::string_view, 6> known{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&apos;"};
    for (std::size_t i = words.find('&'); i != std::string_view::npos; i = words.find('&', i + 1)) {
      const std::string_view from = words.substr(i);
      if (std::none_of(known.begin(), known.end(), [&](std::string_view e) { return from.starts_with(e); })) {
        fail("a bare & before \"" + std::string(from.substr(0, 20)) + "\"");
      }
    }
    const auto control = [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; };
    if (std::any_of(words.begin(), words.end(), control)) fail("a control character");
  }
  void words() {
    const std::size_t n = std::min(rest_.find('<'), rest_.size());
    const std::string_view own = rest_.substr(0, n);
    check_entities(own);
    if (open_.empty() && own.find_first_not_of(" \n\t\r") != std::string_view::npos) fail("words outside the root");
    rest_.remove_prefix(n);
  }
  void attribute(std::set<std::string>& seen) {
    const std::string key = name();
    if (!seen.insert(key).second) return fail("attribute " + key + " twice");
    if (!take("=\"")) return fail("attribute " + key + " without a quoted value");
    const std::size_t n = rest_.find('"');
    if (n == std::string_view::npos) return fail("a quote is not closed");
    check_entities(rest_.substr(0, n));
    if (rest_.substr(0, n).find('<') != std::string_view::npos) fail("< in attribute " + key);
    rest_.remove_prefix(n + 1);
  }
  void tag() {
    if (take("</")) {
      const std::string closed = name();
      if (!take(">")) fail("</" + closed + " without >");
      if (open_.empty() || open_.back() != closed) return fail("</" + closed + "> closes nothing");
      open_.pop_back();
      return;
    }
    take("<");
    const std::string opened = name();
    if (open_.empty()) ++roots_;
    std::set<std::string> seen;
    for (spaces(); !fault_ && !rest_.empty() && rest_.front() != '>' && rest_.front() != '/'; spaces()) attribute(seen);
    if (take("/>")) return;
    if (!take(">")) fail("<" + opened + " without >");
    open_.push_back(opened);
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  int roots_ = 0;
  std::optional<std::string> fault_;
};

}  // namespace

std::optional<std::string> xml_fault(std::string_view text) {
  return Parser(text).fault();
}

}  // namespace ringscope
