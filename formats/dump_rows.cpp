#include "formats/dump_rows.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace ringscope {

namespace {

std::string text_of_shape(const std::vector<std::int64_t>& shape) {
  std::string out = "[";
  for (const std::int64_t n : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(n);
  return out + "]";
}

}  // namespace

Shape natural_shape(const FileTensor& tensor, Axes axes, int dimensions, Rows rows, const std::string& path) {
  std::vector<std::int64_t> s = tensor.shape;
  if (dimensions == 3 && s.size() == 4 && s[3] == 1) s.pop_back();  // lse as [B, H, S, 1]
  const auto refuse = [&](const char* want) {
    throw Error(ErrorKind::bad_file, tensor.name + " of shape " + text_of_shape(s) + " in " + path, want);
  };
  if (static_cast<int>(s.size()) != dimensions) {
    refuse(dimensions == 4 ? "four axes, BHSD or BSHD" : "three axes, BHS or BSH");
  }
  const std::int64_t dim = dimensions == 4 ? s[3] : 1;
  const Shape natural = axes == Axes::bhsd ? Shape{s[0], s[1], s[2], dim} : Shape{s[0], s[2], s[1], dim};
  if (natural.batch == 0 || natural.heads == 0 || natural.dim == 0) refuse("at least one of everything");
  if (natural.rows == 0 && rows == Rows::some) refuse("at least one row");
  return natural;
}

std::string text_of(const Shape& natural) {
  return "B" + std::to_string(natural.batch) + " H" + std::to_string(natural.heads) + " S" +
         std::to_string(natural.rows) + " D" + std::to_string(natural.dim);
}

DumpTensor join_parts(std::vector<DumpPart> parts, Shape natural, Axes axes) {
  DumpTensor out;
  out.shape = natural;
  out.type = parts.front().tensor->type;
  out.read_head = [parts = std::move(parts), natural, axes](std::int64_t b, std::int64_t h, std::span<double> rows) {
    ensure(static_cast<std::int64_t>(rows.size()) == natural.rows * natural.dim, "room for one head");
    const auto dim = static_cast<std::size_t>(natural.dim);
    for (const DumpPart& part : parts) {
      const auto local = static_cast<std::int64_t>(part.positions->size());
      for (std::int64_t r = 0; r < local; ++r) {
        const std::int64_t row =
            axes == Axes::bhsd ? (b * natural.heads + h) * local + r : (b * local + r) * natural.heads + h;
        const auto to = static_cast<std::size_t>((*part.positions)[static_cast<std::size_t>(r)]) * dim;
        part.tensor->read(row * natural.dim, rows.subspan(to, dim));
      }
    }
  };
  return out;
}

Tensor DumpTensor::read() const {
  Tensor out(shape);
  const std::span<double> all(out.values);
  const auto head = static_cast<std::size_t>(shape.rows * shape.dim);
  for (std::int64_t b = 0; b < shape.batch; ++b) {
    for (std::int64_t h = 0; h < shape.heads; ++h) {
      read_head(b, h, all.subspan(static_cast<std::size_t>(out.offset(b, h, 0)), head));
    }
  }
  return out;
}

}  // namespace ringscope
