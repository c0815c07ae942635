// npz: a zip file of npy arrays. Arrays that are stored little-endian and row-major are used where they lie in the map;
// others (deflated, big-endian, column-major) are put in order in memory, up to a limit.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/npy_header.h"
#include "formats/tensor_file_parts.h"
#include "formats/utf8.h"
#include "formats/zip_file.h"

namespace ringscope {

namespace {

constexpr std::uint64_t most_unpacked = std::uint64_t{256} << 20;
constexpr std::uint64_t longest_text = std::uint64_t{1} << 20;
// Deflate cannot shrink more than this (258 bytes in 2 bits): a directory that says so lies, and costs nothing.
constexpr std::uint64_t most_shrunk = 1032;

// Memory that arrays take beside the map, taken before it is allocated.
class UnpackedBytes {
 public:
  void take(std::uint64_t size, const FilePlace& place) {
    if (size > most_unpacked - taken_) {
      place.refuse(std::to_string(size) + " bytes to unpack or reorder",
                   "at most " + std::to_string(most_unpacked) + " in one file",
                   "save with np.savez (not compressed), row-major and little-endian, or as safetensors");
    }
    taken_ += size;
  }

 private:
  std::uint64_t taken_ = 0;
};

std::optional<ElementType> float_type(const NpyHeader& header) {
  if (header.kind != 'f') return std::nullopt;
  switch (header.item_bytes) {
    case 8:
      return ElementType::f64;
    case 4:
      return ElementType::f32;
    case 2:
      return ElementType::f16;
    default:
      return std::nullopt;
  }
}

bool is_row_major(const NpyHeader& header) {
  const auto long_ones =
      std::count_if(header.shape.begin(), header.shape.end(), [](auto length) { return length > 1; });
  return !header.fortran_order || long_ones <= 1;
}

// The elements row by row, each with its least byte first. `count` is the product of the shape, and not 0.
std::vector<std::byte> reordered(Bytes data, const NpyHeader& header, std::size_t count) {
  const auto item = static_cast<std::size_t>(header.item_bytes);
  const std::size_t dims = header.shape.size();
  std::vector<std::size_t> index(dims, 0), stride(dims, 1);  // strides in elements
  const bool by_columns = !is_row_major(header);
  std::size_t span = 1;
  for (std::size_t i = 0; i < dims; ++i) {
    const std::size_t d = by_columns ? i : dims - 1 - i;
    stride[d] = span;
    span *= static_cast<std::size_t>(header.shape[d]);
  }
  std::vector<std::byte> out;
  out.reserve(data.size());
  std::size_t at = 0;
  for (std::size_t element = 0; element < count; ++element) {
    const Bytes bytes = data.subspan(at * item, item);
    if (header.order == '>') {
      out.insert(out.end(), bytes.rbegin(), bytes.rend());
    } else {
      out.insert(out.end(), bytes.begin(), bytes.end());
    }
    for (std::size_t d = dims; d-- > 0;) {  // the next index, last dimension fastest
      at += stride[d];
      if (++index[d] < static_cast<std::size_t>(header.shape[d])) break;
      at -= stride[d] * index[d];
      index[d] = 0;
    }
  }
  return out;
}

// The text of a 0-d string array: U holds code points of 4 bytes, S bytes; both end in zeros.
std::string text_of_array(Bytes data, const NpyHeader& header, const FilePlace& place) {
  constexpr std::string_view wanted = "text in Unicode";
  if (data.size() > longest_text) {
    place.refuse(std::to_string(data.size()) + " bytes of text", "at most " + std::to_string(longest_text));
  }
  std::string text;
  if (header.kind == 'S') {
    text = text_in(data);
  } else {
    if (header.order == '>') place.refuse("big-endian text", "little-endian text");
    for (std::size_t i = 0; i < data.size(); i += 4) {
      const auto code_point = static_cast<char32_t>(number_in(data.subspan(i, 4)));
      if (!append_utf8(text, code_point)) place.refuse("a character that is none", wanted);
    }
  }
  text.resize(text.find_last_not_of('\0') + 1);
  if (!is_utf8(text)) place.refuse("text that is no UTF-8", wanted);
  return text;
}

class NpzReader {
 public:
  explicit NpzReader(const FilePlace& file) : file_(file) {}

  // All that is to be unpacked is counted before the first is.
  void reserve(const ZipEntry& entry) {
    if (!entry.deflated) return;
    const FilePlace place = place_of(entry);
    if (entry.size / most_shrunk > entry.packed.size()) {
      place.refuse(std::to_string(entry.size) + " bytes in " + std::to_string(entry.packed.size()),
                   "sizes that can be");
    }
    memory_.take(entry.size, place);
  }

  void read(const ZipEntry& entry) {
    constexpr std::string_view suffix = ".npy";
    const FilePlace place = place_of(entry);
    if (!entry.name.ends_with(suffix) || entry.name.size() == suffix.size()) {
      place.refuse("an entry that is no .npy array", "a file that np.savez wrote",
                   "PyTorch's .pt files are zip files too: save as safetensors instead");
    }
    std::string name = entry.name.substr(0, entry.name.size() - suffix.size());
    const Bytes npy = unpacked(entry, place);
    const NpyHeader header = read_npy_header(npy, place);
    const Bytes data = npy.subspan(static_cast<std::size_t>(header.data_begin));
    const std::int64_t count = counted(header, data, place);
    if ((header.kind == 'U' || header.kind == 'S') && header.shape.empty()) {
      parts_.metadata[std::move(name)] = text_of_array(data, header, place);
    } else if (const std::optional<ElementType> type = float_type(header)) {
      const Bytes ordered = in_order(data, header, static_cast<std::size_t>(count), place);
      parts_.tensors.push_back({std::move(name), *type, header.shape, ordered});
    } else {
      parts_.others.push_back({std::move(name), header.descr});
    }
  }

  TensorFileParts parts() && { return std::move(parts_); }

 private:
  FilePlace place_of(const ZipEntry& entry) const { return file_.at("entry " + quoted_name(entry.name)); }

  Bytes keep(std::vector<std::byte> bytes) { return parts_.unpacked.emplace_back(std::move(bytes)); }

  Bytes unpacked(const ZipEntry& entry, const FilePlace& place) {
    if (!entry.deflated) {
      require_crc(entry, entry.packed, place);
      return entry.packed;
    }
    return keep(inflate(entry, place));
  }

  static std::int64_t counted(const NpyHeader& header, Bytes data, const FilePlace& place) {
    const std::optional<std::int64_t> count = elements_of(header.shape);
    const std::string got = "shape " + shape_text(header.shape) + " of " + quoted_name(header.descr);
    const bool fits =
        count && (header.item_bytes == 0 || *count <= std::numeric_limits<std::int64_t>::max() / header.item_bytes);
    if (!fits) place.refuse(got + ", more than 64 bits can count", "a shape whose elements lie in the file");
    if (static_cast<std::uint64_t>(*count * header.item_bytes) != data.size()) {
      place.refuse(std::to_string(data.size()) + " bytes of data",
                   std::to_string(*count * header.item_bytes) + " for " + got);
    }
    return *count;
  }

  Bytes in_order(Bytes data, const NpyHeader& header, std::size_t count, const FilePlace& place) {
    if (count == 0 || (header.order != '>' && is_row_major(header))) return data;
    memory_.take(data.size(), place);
    return keep(reordered(data, header, count));
  }

  const FilePlace& file_;
  UnpackedBytes memory_;
  TensorFileParts parts_;
};

}  // namespace

TensorFileParts read_npz(Bytes file, const FilePlace& place) {
  NpzReader reader(place);
  const std::vector<ZipEntry> entries = read_zip_directory(file, place);
  for (const ZipEntry& entry : entries) reader.reserve(entry);
  for (const ZipEntry& entry : entries) reader.read(entry);
  return std::move(reader).parts();
}

}  // namespace ringscope
