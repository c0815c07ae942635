#include "formats/dump_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "formats/utf8.h"

namespace ringscope {

namespace {

struct OtherNames {
  std::string_view right;
  std::vector<std::string_view> others;  // lower case, letters and digits alone
};

const std::array<OtherNames, 9>& all_names() {
  static const std::array<OtherNames, 9> names{{
      {"q", {"query", "queries", "querystates", "querylayer", "xq"}},
      {"k", {"key", "keys", "keystates", "keylayer", "xk"}},
      {"v", {"value", "values", "valuestates", "valuelayer", "xv"}},
      {"o", {"out", "output", "outputs", "attnout", "attnoutput", "attentionoutput", "context", "contextlayer"}},
      {"lse", {"logsumexp", "softmaxlse", "lsesoftmax", "logsum"}},
      {"do", {"dout", "doutput", "grado", "gradout", "gradoutput", "ograd", "outgrad", "outputgrad"}},
      {"dq", {"gradq", "gradquery", "qgrad", "querygrad", "dquery"}},
      {"dk", {"gradk", "gradkey", "kgrad", "keygrad", "dkey"}},
      {"dv", {"gradv", "gradvalue", "vgrad", "valuegrad", "dvalue"}},
  }};
  return names;
}

std::string bare(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) out += c;
  }
  return out;
}

std::string_view right_name_of(const std::string& word) {
  for (const OtherNames& names : all_names()) {
    const bool other = std::find(names.others.begin(), names.others.end(), word) != names.others.end();
    if (other || word == names.right) return names.right;
  }
  return {};
}

}  // namespace

std::string_view meant_by(std::string_view name) {
  const std::string_view whole = right_name_of(bare(name));
  if (!whole.empty()) return whole == name ? std::string_view{} : whole;
  const std::size_t last = name.find_last_of("./:");  // attn.out
  return last == std::string_view::npos ? std::string_view{} : right_name_of(bare(name.substr(last + 1)));
}

std::string misnamed(const TensorFile& file, std::string_view wanted) {
  std::string out;
  int count = 0;
  for (const FileTensor& tensor : file.tensors()) {
    const std::string_view right = meant_by(tensor.name);
    if (right.empty() || file.find(right) != nullptr || (!wanted.empty() && right != wanted)) continue;
    out += (count == 0 ? "" : ", ") + quoted_name(tensor.name) + (count == 0 ? " looks like " : " like ") +
           std::string(right);
    ++count;
  }
  if (count == 0) return {};
  return out + (count == 1 ? ": if it is, save it under that name" : ": if they are, save them under those names");
}

std::string names_not_read(const TensorFile& file, Steps steps) {
  static constexpr std::array<std::string_view, 12> tensors{"q",  "k",  "v",  "o",     "lse",   "do",
                                                            "dq", "dk", "dv", "alibi", "sinks", "d_sink"};
  static constexpr std::array<std::string_view, 14> keys{"source",  "axes",     "lse_axes", "mask",       "scale",
                                                         "softcap", "lse_base", "layout",   "kv_lengths", "rank",
                                                         "ranks",   "case",     "format",   "seed"};
  const auto unknown = [](const auto& known, std::string_view name) {
    return std::find(known.begin(), known.end(), name) == known.end();
  };
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + quoted_name(name); };
  for (const FileTensor& t : file.tensors()) {
    const bool of_step = steps == Steps::known && t.name.starts_with("t") && t.name.find(".r") != std::string::npos;
    if (!of_step && unknown(tensors, t.name)) add(t.name);
  }
  for (const OtherTensor& t : file.others()) add(t.name);
  for (const auto& [key, value] : file.metadata()) {
    if (unknown(keys, key)) add("metadata " + key);
  }
  return names;
}

}  // namespace ringscope
