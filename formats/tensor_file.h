// A file of named tensors as other frameworks write them: safetensors or npz, read through a memory map.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/element_type.h"

namespace ringscope {

// One tensor as it lies in the file: row-major, little-endian; the bytes live as long as the TensorFile.
struct FileTensor {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;

  std::int64_t size() const;                 // elements
  double value(std::int64_t element) const;  // widened exactly
};

// Files are hostile until read: every offset, size and name is checked before it is used, memory stays within a few
// megabytes beside the map, and whatever is wrong is an Error(bad_file) that names the file and the place.
class TensorFile {
 public:
  static TensorFile read(const std::string& path);  // safetensors or npz, told apart by content
  // The same from bytes in memory, for tests and fuzzers; `name` stands for the path in errors.
  static TensorFile from_bytes(std::span<const std::byte> bytes, std::string name);

  const std::string& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  std::span<const FileTensor> tensors() const { return tensors_; }
  const FileTensor* find(std::string_view name) const;  // null when absent

 private:
  std::string path_;
  std::shared_ptr<const void> storage_;  // the map, or what an npz was unpacked into
  std::map<std::string, std::string> metadata_;
  std::vector<FileTensor> tensors_;

  friend struct TensorFileParts;  // what the two readers fill (formats/tensor_file_parts.h)
};

// Values are rounded to the type on writing.
struct TensorToWrite {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};
void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace ringscope
