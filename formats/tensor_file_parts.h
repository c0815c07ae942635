// What the two readers fill and TensorFile keeps.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/byte_reader.h"
#include "formats/file_place.h"
#include "formats/tensor_file.h"

namespace ringscope {

struct TensorFileParts {
  std::map<std::string, std::string> metadata;
  std::vector<FileTensor> tensors;
  std::vector<OtherTensor> others;
  std::vector<std::vector<std::byte>> unpacked;  // what tensors of an npz may point into

  // `map` owns the bytes that the tensors point into; null where the caller does.
  static TensorFile assemble(std::string path, TensorFileParts parts, std::shared_ptr<const void> map);
};

TensorFileParts read_safetensors(Bytes file, const FilePlace& place);
TensorFileParts read_npz(Bytes file, const FilePlace& place);

// The number of elements of a shape; nothing where it, or that of the dimensions above 0 alone, is beyond 64 bit.
std::optional<std::int64_t> elements_of(const std::vector<std::int64_t>& shape);
std::string shape_text(const std::vector<std::int64_t>& shape);  // [1, 2, 3]

}  // namespace ringscope
