// Where the rows of a dump's tensors live: which file, which local row, which axes.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/dump.h"
#include "formats/dump_words.h"
#include "formats/tensor_file.h"

namespace ringscope {

// One file's share of one tensor: local row r of the file is global row positions[r].
struct DumpPart {
  std::shared_ptr<const TensorFile> file;
  const FileTensor* tensor = nullptr;
  std::shared_ptr<const std::vector<std::int64_t>> positions;
};

// Joins the parts; `natural` is the shape of the whole in [B, H, S, D].
DumpTensor join_parts(std::vector<DumpPart> parts, Shape natural, Axes axes);

// What one file says of a tensor's shape, in natural order; `dimensions` 3 is lse, with dim 1. A shard may hold no
// rows.
enum class Rows : std::uint8_t { some, maybe_none };
Shape natural_shape(const FileTensor& tensor, Axes axes, int dimensions, Rows rows, const std::string& path);

std::string text_of(const Shape& natural);  // "B1 H4 S64 D16"

}  // namespace ringscope
