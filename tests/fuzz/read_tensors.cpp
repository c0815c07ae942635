#include "tests/fuzz/read_tensors.h"

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "formats/tensor_file.h"
#include "formats/utf8.h"

namespace ringscope {

namespace {

void look_at(const FileTensor& tensor) {
  std::int64_t elements = 1;
  for (const std::int64_t length : tensor.shape) elements *= length;
  ensure(elements == tensor.size(), "the shape counts the elements");
  constexpr std::int64_t at_once = 256;
  std::vector<double> values;
  for (std::int64_t first = 0; first < elements; first += at_once) {
    values.resize(static_cast<std::size_t>(std::min(at_once, elements - first)));
    tensor.read(first, values);
  }
}

}  // namespace

void read_tensors(std::span<const std::byte> file) {
  try {
    const TensorFile read = TensorFile::from_bytes(file, "input");
    for (const FileTensor& tensor : read.tensors()) {
      look_at(tensor);
      ensure(read.find(tensor.name) == &tensor, "a tensor is found by its name");
    }
    for (const OtherTensor& other : read.others()) ensure(read.find(other.name) == nullptr, "others are not read");
    for (const auto& [key, value] : read.metadata()) {
      ensure(is_utf8(printable(key)) && is_utf8(printable(value)), "what is shown is UTF-8");
    }
    read.require("q");
  } catch (const Error& e) {
    ensure(e.kind == ErrorKind::bad_file && is_utf8(e.what()), "a wrong file is refused in a sentence");
  }
}

}  // namespace ringscope
