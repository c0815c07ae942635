// A dense host tensor; values are held as double, which is exact for every storage type.
#pragma once
#include <cstdint>
#include <vector>

namespace ringscope {

struct Shape {
  std::int64_t batch = 0, heads = 0, rows = 0, dim = 0;
  std::int64_t size() const { return batch * heads * rows * dim; }
  bool operator==(const Shape&) const = default;
};

struct Tensor {
  Shape shape;
  std::vector<double> values;  // [B, H, S, D] row-major

  Tensor() = default;
  explicit Tensor(Shape s, double value = 0) : shape(s), values(static_cast<std::size_t>(s.size()), value) {}

  bool empty() const { return values.empty(); }
  std::int64_t offset(std::int64_t b, std::int64_t h, std::int64_t row) const {
    return ((b * shape.heads + h) * shape.rows + row) * shape.dim;
  }
  double* row(std::int64_t b, std::int64_t h, std::int64_t r) { return values.data() + offset(b, h, r); }  // [D]
  const double* row(std::int64_t b, std::int64_t h, std::int64_t r) const { return values.data() + offset(b, h, r); }
};

}  // namespace ringscope
