#include "formats/tensor_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/nearest.h"
#include "formats/mapped_file.h"
#include "formats/tensor_file_parts.h"
#include "formats/utf8.h"

namespace ringscope {

namespace {

template <typename Bits>
Bits bits_at(const std::byte* bytes, std::size_t element) {
  Bits bits;
  std::memcpy(&bits, bytes + element * sizeof(Bits), sizeof(Bits));
  return bits;
}

// The type is asked once per call, not once per element.
template <typename Bits, typename Widen>
void widen_all(const std::byte* bytes, std::span<double> values, Widen widen) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = widen(bits_at<Bits>(bytes, i));
}

void widen_all(ElementType type, const std::byte* bytes, std::span<double> values) {
  const auto by_decode = [type](auto bits) { return decode(type, bits); };
  switch (type) {
    case ElementType::f64:
      return widen_all<std::uint64_t>(bytes, values, [](auto bits) { return std::bit_cast<double>(bits); });
    case ElementType::f32:
      return widen_all<std::uint32_t>(bytes, values, [](auto bits) -> double { return std::bit_cast<float>(bits); });
    case ElementType::bf16:
      return widen_all<std::uint16_t>(bytes, values,
                                      [](std::uint32_t bits) -> double { return std::bit_cast<float>(bits << 16); });
    case ElementType::f16:
      return widen_all<std::uint16_t>(bytes, values, by_decode);
    case ElementType::e4m3:
      return widen_all<std::uint8_t>(bytes, values, by_decode);
  }
}

constexpr auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };

template <typename Tensor>
const Tensor* find_in(const std::vector<Tensor>& sorted, std::string_view name) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), name,
                                   [](const Tensor& tensor, std::string_view n) { return tensor.name < n; });
  return at != sorted.end() && at->name == name ? &*at : nullptr;
}

TensorFileParts read_parts(Bytes file, const FilePlace& place) {
  constexpr std::string_view wanted = "a safetensors or npz file";
  const std::string_view text = text_in(file);
  if (text.empty()) place.refuse("an empty file", wanted);
  if (text.starts_with("PK")) return read_npz(file, place);
  if (text.starts_with("\x93NUMPY"))
    place.refuse("a single npy array", wanted, "save with np.savez(q=..., k=..., v=...)");
  return read_safetensors(file, place);
}

// Some of them, where there are many.
std::string names_in_words(const std::vector<std::string_view>& names) {
  constexpr std::size_t most_names = 12;
  std::string out;
  for (std::size_t n = 0; n < std::min(names.size(), most_names); ++n) {
    out += (n == 0 ? "it has " : ", ") + quoted_name(names[n]);
  }
  return names.size() > most_names ? out + " and others" : out;
}

}  // namespace

std::optional<std::int64_t> elements_of(const std::vector<std::int64_t>& shape) {
  std::int64_t product = 1;
  bool has_zero = false;
  for (const std::int64_t length : shape) {
    has_zero = has_zero || length == 0;
    if (length == 0) continue;
    if (product > std::numeric_limits<std::int64_t>::max() / length) return std::nullopt;
    product *= length;
  }
  return has_zero ? 0 : product;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  constexpr std::size_t most = 8;
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() > most ? ", ...]" : "]");
}

std::int64_t FileTensor::size() const {
  return static_cast<std::int64_t>(bytes.size()) / bytes_of(type);
}

double FileTensor::value(std::int64_t element) const {
  double value = 0;
  read(element, {&value, 1});
  return value;
}

void FileTensor::read(std::int64_t first, std::span<double> values) const {
  const auto count = static_cast<std::int64_t>(values.size());
  ensure(first >= 0 && first <= size() && count <= size() - first, "elements that the tensor has");
  widen_all(type, bytes.data() + first * bytes_of(type), values);
}

TensorFile TensorFileParts::assemble(std::string path, TensorFileParts parts, std::shared_ptr<const void> map) {
  using Unpacked = std::vector<std::vector<std::byte>>;
  TensorFile file;
  file.path_ = std::move(path);
  file.metadata_ = std::move(parts.metadata);
  file.tensors_ = std::move(parts.tensors);
  file.others_ = std::move(parts.others);
  file.storage_ =
      std::make_shared<std::pair<std::shared_ptr<const void>, Unpacked>>(std::move(map), std::move(parts.unpacked));
  std::sort(file.tensors_.begin(), file.tensors_.end(), by_name);
  std::sort(file.others_.begin(), file.others_.end(), by_name);
  return file;
}

TensorFile TensorFile::read(const std::string& path) {
  const auto map = std::make_shared<const MappedFile>(path);
  return TensorFileParts::assemble(path, read_parts(map->bytes(), FilePlace(path)), map);
}

TensorFile TensorFile::from_bytes(std::span<const std::byte> bytes, std::string name) {
  TensorFileParts parts = read_parts(bytes, FilePlace(name));
  return TensorFileParts::assemble(std::move(name), std::move(parts), nullptr);
}

const FileTensor* TensorFile::find(std::string_view name) const {
  return find_in(tensors_, name);
}

const FileTensor& TensorFile::require(std::string_view name) const {
  if (const FileTensor* const tensor = find(name)) return *tensor;
  const FilePlace place = FilePlace(path_).at("tensor " + quoted_name(name));
  constexpr std::string_view types = "F64, F32, BF16, F16 or F8_E4M3 (npz: <f8, <f4, <f2)";
  if (const OtherTensor* const other = find_in(others_, name)) {
    place.refuse("type " + quoted_name(other->type), types, "convert it before saving");
  }
  std::vector<std::string_view> names;
  for (const FileTensor& tensor : tensors_) names.push_back(tensor.name);
  const std::string_view near = nearest(name, names);
  place.refuse("no such tensor among " + std::to_string(names.size()), "a file that has it",
               near.empty() ? names_in_words(names) : "the nearest name is " + quoted_name(near));
}

}  // namespace ringscope
