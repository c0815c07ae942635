// safetensors: 8 bytes header length, a JSON header, then the tensors without gap or overlap.
// Source: https://github.com/huggingface/safetensors, README.md, "Format".
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/tensor_file_parts.h"
#include "formats/utf8.h"

namespace ringscope {

namespace {

// A header entry costs up to ten times its text in memory: this is what bounds it.
constexpr std::uint64_t longest_json_header = std::uint64_t{16} << 20;
constexpr std::uint64_t length_bytes = 8;

struct TypeWord {
  std::string_view word;
  int bits;
  std::optional<ElementType> type;  // absent: there, but not read
};

constexpr std::array type_words = std::to_array<TypeWord>({
    {"F64", 64, ElementType::f64},
    {"F32", 32, ElementType::f32},
    {"BF16", 16, ElementType::bf16},
    {"F16", 16, ElementType::f16},
    {"F8_E4M3", 8, ElementType::e4m3},
    {"BOOL", 8, {}},
    {"U8", 8, {}},
    {"I8", 8, {}},
    {"U16", 16, {}},
    {"I16", 16, {}},
    {"U32", 32, {}},
    {"I32", 32, {}},
    {"U64", 64, {}},
    {"I64", 64, {}},
    {"C64", 64, {}},
    {"F8_E5M2", 8, {}},
    {"F8_E8M0", 8, {}},
    {"F8_E4M3FNUZ", 8, {}},
    {"F8_E5M2FNUZ", 8, {}},
    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},
    {"F4", 4, {}},
});

struct Entry {
  std::string name, type;
  std::vector<std::int64_t> shape, offsets;
};

std::string tensor_place(std::string_view name) {
  return "tensor " + quoted_name(name);
}

// Takes the header event by event: what the format does not have is refused before it costs memory, and a name that
// comes twice is seen, which a parsed JSON value would hide.
class HeaderEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderEvents(FilePlace file) : file_(std::move(file)) {}

  std::map<std::string, std::string> metadata;
  std::vector<Entry> entries;

  bool null() override { refuse("null"); }
  bool boolean(bool) override { refuse("true or false"); }
  bool number_integer(std::int64_t) override { refuse("a negative number"); }
  bool number_float(double, const std::string& text) override { refuse(printable(text, 60)); }
  bool binary(binary_t&) override { refuse("binary"); }

  bool number_unsigned(std::uint64_t number) override {
    if (where_ != Where::numbers) refuse(std::to_string(number));
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) refuse(std::to_string(number));
    numbers().push_back(static_cast<std::int64_t>(number));
    return true;
  }

  bool string(std::string& text) override {
    if (where_ == Where::metadata) {
      metadata[key_] = std::move(text);
    } else if (where_ == Where::tensor && key_ == "dtype") {
      entries.back().type = std::move(text);
    } else {
      refuse("a string");
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (where_ == Where::outside) {
      where_ = Where::header;
    } else if (where_ == Where::header && key_ == "__metadata__") {
      where_ = Where::metadata;
    } else if (where_ == Where::header) {
      where_ = Where::tensor;
      entries.push_back({.name = key_});
    } else {
      refuse("an object");
    }
    return true;
  }

  bool end_object() override {
    if (where_ == Where::tensor) require_whole(entries.back());
    where_ = where_ == Where::header ? Where::outside : Where::header;
    keys_.clear();
    return true;
  }

  bool key(std::string& text) override {
    if (!is_new(text)) place().refuse("key " + quoted_name(text) + " twice", "each once");
    if (where_ == Where::tensor && text != "dtype" && text != "shape" && text != "data_offsets") {
      place().refuse("key " + quoted_name(text), "dtype, shape and data_offsets");
    }
    key_ = std::move(text);
    return true;
  }

  bool start_array(std::size_t) override {
    if (where_ != Where::tensor || key_ == "dtype") refuse("an array");
    where_ = Where::numbers;
    return true;
  }

  bool end_array() override {
    where_ = Where::tensor;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& token, const nlohmann::detail::exception&) override {
    file_.at("header, byte " + std::to_string(byte))
        .refuse(token.empty() ? "no JSON" : "no JSON at " + quoted_name(token), "a JSON object in UTF-8");
  }

 private:
  enum class Where { outside, header, metadata, tensor, numbers };

  bool is_new(const std::string& key) {
    if (where_ == Where::metadata) return metadata.try_emplace(key).second;
    return (where_ == Where::header ? names_ : keys_).insert(key).second;
  }

  std::vector<std::int64_t>& numbers() { return key_ == "shape" ? entries.back().shape : entries.back().offsets; }

  FilePlace place() const {
    if (where_ == Where::metadata) return file_.at("__metadata__");
    if (where_ == Where::tensor || where_ == Where::numbers) return file_.at(tensor_place(entries.back().name));
    return file_.at("header");
  }

  [[noreturn]] void refuse(const std::string& got) const {
    const std::string value = got + (key_.empty() ? "" : " as " + quoted_name(key_));
    if (where_ == Where::metadata) place().refuse(value, "a string");
    if (where_ == Where::numbers) place().refuse(value, "whole numbers from 0 to 9223372036854775807");
    if (where_ == Where::tensor) place().refuse(value, "a string as dtype, arrays as shape and data_offsets");
    place().refuse(value, "an object per tensor");
  }

  void require_whole(const Entry& entry) const {
    constexpr std::string_view wanted = "dtype, shape and data_offsets [begin, end]";
    for (const char* const key : {"dtype", "shape", "data_offsets"}) {
      if (!keys_.contains(key)) place().refuse(std::string("no ") + key, wanted);
    }
    if (entry.offsets.size() != 2) {
      place().refuse(std::to_string(entry.offsets.size()) + " numbers as data_offsets", wanted);
    }
  }

  FilePlace file_;
  Where where_ = Where::outside;
  std::string key_;
  std::set<std::string> names_, keys_;  // seen in the header, and in the tensor under way
};

// The bytes that type and shape ask for.
std::int64_t bytes_wanted(const Entry& entry, const TypeWord& word, const FilePlace& place) {
  const std::optional<std::int64_t> elements = elements_of(entry.shape);
  const std::string shape = "shape " + shape_text(entry.shape);
  if (!elements || *elements > std::numeric_limits<std::int64_t>::max() / word.bits) {
    place.refuse(shape + ", more elements than 64 bits can count", "a shape whose elements lie in the file");
  }
  const std::int64_t bits = *elements * word.bits;
  if (bits % 8 != 0)
    place.refuse(shape + " of " + std::string(word.word) + ", no whole number of bytes", "whole bytes");
  return bits / 8;
}

const TypeWord& type_word(const Entry& entry, const FilePlace& place) {
  const auto word =
      std::find_if(type_words.begin(), type_words.end(), [&](const TypeWord& w) { return w.word == entry.type; });
  if (word == type_words.end()) {
    place.refuse("dtype " + quoted_name(entry.type), "a type of safetensors: F64, F32, BF16, F16, F8_E4M3, ...");
  }
  return *word;
}

std::string range_text(std::int64_t begin, std::int64_t end) {
  return "bytes " + std::to_string(begin) + " to " + std::to_string(end);
}

// Each entry begins where the one before it ended, and the last ends where the file does.
void require_tiling(std::vector<Entry>& entries, std::uint64_t data_size, const FilePlace& file) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.offsets < b.offsets; });
  std::int64_t at = 0;
  for (const Entry& entry : entries) {
    const std::int64_t begin = entry.offsets[0], end = entry.offsets[1];
    const FilePlace place = file.at(tensor_place(entry.name));
    if (end < begin) place.refuse(range_text(begin, end), "an end that is not before the begin");
    if (static_cast<std::uint64_t>(end) > data_size) {
      place.refuse(range_text(begin, end) + " of " + std::to_string(data_size), "a range inside the file's data",
                   "the file may be cut short: copy or save it again");
    }
    if (begin < at)
      place.refuse(range_text(begin, end) + ", overlapping the tensor before", "a begin at " + std::to_string(at));
    if (begin > at) place.refuse("a gap before byte " + std::to_string(begin), "a begin at " + std::to_string(at));
    at = end;
  }
  if (static_cast<std::uint64_t>(at) != data_size) {
    file.at("end").refuse(std::to_string(data_size) + " bytes of data",
                          std::to_string(at) + ", where the last tensor ends");
  }
}

Bytes header_of(Bytes file, const FilePlace& place) {
  constexpr std::string_view fix = "is this a safetensors or npz file, and whole?";
  ByteReader reader(file);
  const std::uint64_t length = reader.u64();
  if (reader.ended()) place.refuse(std::to_string(file.size()) + " bytes", "8 bytes of header length at least", fix);
  const FilePlace header = place.at("header");
  const std::string got = "a length of " + std::to_string(length) + " bytes";
  if (length > longest_json_header) header.refuse(got, "at most " + std::to_string(longest_json_header), fix);
  const std::optional<Bytes> bytes = part_of(reader.rest(), 0, length);
  if (!bytes)
    header.refuse(got + " where " + std::to_string(reader.rest().size()) + " follow", "a header inside the file", fix);
  if (!text_in(*bytes).starts_with('{')) header.refuse("no { at its begin", "a JSON object", fix);
  return *bytes;
}

}  // namespace

TensorFileParts read_safetensors(Bytes file, const FilePlace& place) {
  const std::string_view header = text_in(header_of(file, place));
  const Bytes data = file.subspan(length_bytes + header.size());
  HeaderEvents events(place);
  nlohmann::json::sax_parse(header, &events);
  require_tiling(events.entries, data.size(), place);

  TensorFileParts parts;
  parts.metadata = std::move(events.metadata);
  for (Entry& entry : events.entries) {
    const FilePlace tensor = place.at(tensor_place(entry.name));
    const TypeWord& word = type_word(entry, tensor);
    const std::int64_t begin = entry.offsets[0], size = entry.offsets[1] - begin;
    const std::int64_t wanted = bytes_wanted(entry, word, tensor);
    if (size != wanted) {
      tensor.refuse(std::to_string(size) + " bytes",
                    std::to_string(wanted) + " for " + std::string(word.word) + ' ' + shape_text(entry.shape));
    }
    if (!word.type) {
      parts.others.push_back({std::move(entry.name), std::move(entry.type)});
      continue;
    }
    parts.tensors.push_back({std::move(entry.name), *word.type, std::move(entry.shape),
                             data.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size))});
  }
  return parts;
}

}  // namespace ringscope
