// The one product that blocked attention is made of, in plain loops that compilers turn into vectors.
#pragma once
#include <cstdint>
#include <cstring>

namespace ringscope {

// Element (i, k) is at[i * row + k * column]: a tile or its transpose.
template <class Real>
struct Strided {
  const Real* at = nullptr;
  std::int64_t row = 0, column = 1;
};

// Factors that are 0 leave the other side out even where it is not finite (keys that no query sees may hold NaN).
enum class Zeros : std::uint8_t { multiply, skip };

namespace detail {

// Four doubles or eight floats as GCC and Clang know them on every processor: loops over arrays they keep in memory.
template <class Real>
struct Vector {
  using Type __attribute__((vector_size(32))) = Real;
  static constexpr int lanes = 32 / sizeof(Real);
};

template <int rows, Zeros zeros, class Real>
inline void add_vectors(std::int64_t depth, Strided<Real> a, const Real* b, std::int64_t b_row, Real* c,
                        std::int64_t c_row) {
  using Vec = typename Vector<Real>::Type;
  constexpr int lanes = Vector<Real>::lanes;
  Vec left[rows] = {}, right[rows] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    Vec b_left, b_right;
    std::memcpy(&b_left, b + k * b_row, sizeof(Vec));
    std::memcpy(&b_right, b + k * b_row + lanes, sizeof(Vec));
    for (int i = 0; i < rows; ++i) {
      const Real factor = a.at[i * a.row + k * a.column];
      if (zeros == Zeros::skip && factor == 0) continue;
      left[i] += factor * b_left;
      right[i] += factor * b_right;
    }
  }
  for (int i = 0; i < rows; ++i) {
    Vec c_left, c_right;
    std::memcpy(&c_left, c + i * c_row, sizeof(Vec));
    std::memcpy(&c_right, c + i * c_row + lanes, sizeof(Vec));
    c_left += left[i], c_right += right[i];
    std::memcpy(c + i * c_row, &c_left, sizeof(Vec));
    std::memcpy(c + i * c_row + lanes, &c_right, sizeof(Vec));
  }
}

template <Zeros zeros, class Real>
inline void add_column(std::int64_t rows, std::int64_t depth, Strided<Real> a, const Real* b, std::int64_t b_row,
                       Real* c, std::int64_t c_row) {
  for (std::int64_t i = 0; i < rows; ++i) {
    Real sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      const Real factor = a.at[i * a.row + k * a.column];
      if (zeros == Zeros::multiply || factor != 0) sum += factor * b[k * b_row];
    }
    c[i * c_row] += sum;
  }
}

}  // namespace detail

// C += A B with A [rows, depth], B [depth, columns], C [rows, columns]; columns of B and C lie together. Each element's
// sum over depth is formed first, in ascending order, and added once.
template <Zeros zeros, class Real>
void add_product(std::int64_t rows, std::int64_t depth, std::int64_t columns, Strided<Real> a, const Real* b,
                 std::int64_t b_row, Real* c, std::int64_t c_row) {
  constexpr std::int64_t wide = 2 * detail::Vector<Real>::lanes;
  const std::int64_t in_vectors = columns - columns % wide;
  for (std::int64_t j = 0; j < in_vectors; j += wide) {
    std::int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
      detail::add_vectors<4, zeros>(depth, {a.at + i * a.row, a.row, a.column}, b + j, b_row, c + i * c_row + j, c_row);
    }
    for (; i < rows; ++i) {
      detail::add_vectors<1, zeros>(depth, {a.at + i * a.row, a.row, a.column}, b + j, b_row, c + i * c_row + j, c_row);
    }
  }
  for (std::int64_t j = in_vectors; j < columns; ++j) {
    detail::add_column<zeros>(rows, depth, a, b + j, b_row, c + j, c_row);
  }
}

}  // namespace ringscope
