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

// One tensor: row-major, little-endian, as it lies in the file (or was unpacked); the bytes need no alignment and live
// as long as the TensorFile.
struct FileTensor {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;

  std::int64_t size() const;                 // elements
  double value(std::int64_t element) const;  // widened exactly
  // The elements from `first` on, as many as `values` holds.
  void read(std::int64_t first, std::span<double> values) const;
};

// A tensor of a type that no attention has here (integers, bool, complex, other 8-bit floats): there, but not read.
struct OtherTensor {
  std::string name, type;  // the type in the file's own word
};

// Files are hostile until read: every offset, size and name is checked before it is used, memory is bounded (what is
// read, and the limits: docs/formats.md), and whatever is wrong is an Error(bad_file) that names the file and the
// place. Metadata is what somebody wrote: show it through printable() of formats/utf8.h.
class TensorFile {
 public:
  static TensorFile read(const std::string& path);  // safetensors or npz, told apart by content
  // The same from bytes in memory, which must live as long; for tests and fuzzers. `name` stands for the path in
  // errors.
  static TensorFile from_bytes(std::span<const std::byte> bytes, std::string name);

  const std::string& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  std::span<const FileTensor> tensors() const { return tensors_; }  // by name, ascending
  std::span<const OtherTensor> others() const { return others_; }   // by name, ascending
  const FileTensor* find(std::string_view name) const;              // null when absent or among the others
  // Throws Error(bad_file) that says what the file has instead.
  const FileTensor& require(std::string_view name) const;

 private:
  std::string path_;
  std::shared_ptr<const void> storage_;  // the map, or what an npz was unpacked into
  std::map<std::string, std::string> metadata_;
  std::vector<FileTensor> tensors_;
  std::vector<OtherTensor> others_;

  friend struct TensorFileParts;  // what the two readers fill (formats/tensor_file_parts.h)
};

// Values are rounded to the type on writing; a NaN becomes the type's quiet NaN.
struct TensorToWrite {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};
// Throws Error(bad_request) for names that occur twice or are no UTF-8, Error(bad_file) when the file cannot be
// written.
void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace ringscope
