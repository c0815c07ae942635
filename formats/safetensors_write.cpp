#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/error.h"
#include "formats/new_file.h"
#include "formats/tensor_file_parts.h"
#include "formats/utf8.h"

namespace ringscope {

namespace {

std::string_view word_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return "F64";
    case ElementType::f32:
      return "F32";
    case ElementType::bf16:
      return "BF16";
    case ElementType::f16:
      return "F16";
    case ElementType::e4m3:
      return "F8_E4M3";
  }
  return {};
}

void require_names(std::span<const TensorToWrite> tensors, const std::map<std::string, std::string>& metadata) {
  constexpr std::string_view wanted = "names and metadata in UTF-8, each name once";
  const auto refuse = [&](std::string got) {
    throw Error(ErrorKind::bad_request, std::move(got), std::string(wanted));
  };
  std::set<std::string_view> names = {"__metadata__"};
  for (const TensorToWrite& tensor : tensors) {
    if (!is_utf8(tensor.name)) refuse("tensor " + quoted_name(tensor.name));
    if (!names.insert(tensor.name).second) refuse("tensor " + quoted_name(tensor.name) + " twice");
  }
  for (const auto& [key, value] : metadata) {
    if (!is_utf8(key) || !is_utf8(value)) refuse("metadata " + quoted_name(key) + " of " + quoted_name(value));
  }
}

// Wide types first, so that every tensor is aligned to its element, as the format's own writer does it.
std::vector<const TensorToWrite*> in_file_order(std::span<const TensorToWrite> tensors) {
  std::vector<const TensorToWrite*> order;
  for (const TensorToWrite& tensor : tensors) order.push_back(&tensor);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return bytes_of(a->type) > bytes_of(b->type); });
  return order;
}

std::string header_text(std::span<const TensorToWrite* const> tensors,
                        const std::map<std::string, std::string>& metadata) {
  constexpr std::size_t alignment = 8;
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::int64_t at = 0;
  for (const TensorToWrite* const tensor : tensors) {
    const std::int64_t end = at + static_cast<std::int64_t>(tensor->values.size()) * bytes_of(tensor->type);
    header[tensor->name] = {{"dtype", word_of(tensor->type)}, {"shape", tensor->shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  return text;
}

std::int64_t data_bytes(std::span<const TensorToWrite* const> tensors) {
  std::int64_t bytes = 0;
  for (const TensorToWrite* const tensor : tensors) bytes += std::ssize(tensor->values) * bytes_of(tensor->type);
  return bytes;
}

void append_number(std::string& bytes, std::uint64_t number, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> 8 * i & 0xFFU);
}

}  // namespace

void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  require_names(tensors, metadata);
  for (const TensorToWrite& tensor : tensors) {
    ensure(elements_of(tensor.shape) == static_cast<std::int64_t>(tensor.values.size()), "one value per element");
  }
  const std::vector<const TensorToWrite*> order = in_file_order(tensors);
  const std::string header = header_text(order, metadata);
  NewFile file(path, 8 + std::ssize(header) + data_bytes(order));
  std::string bytes;
  append_number(bytes, header.size(), 8);
  file.write(bytes + header);
  for (const TensorToWrite* const tensor : order) {
    constexpr std::size_t at_once = 1 << 16;  // bounds the memory beside the values
    for (std::size_t first = 0; first < tensor->values.size(); first += at_once) {
      bytes.clear();
      const std::size_t end = std::min(first + at_once, tensor->values.size());
      for (std::size_t i = first; i < end; ++i) {
        append_number(bytes, encode(tensor->type, tensor->values[i]), bytes_of(tensor->type));
      }
      file.write(bytes);
    }
  }
  file.keep();
}

}  // namespace ringscope
