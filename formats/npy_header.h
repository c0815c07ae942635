// The header of one npy array: a Python dict literal, read strictly and never evaluated.
// Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1.0 to 3.0.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "formats/byte_reader.h"
#include "formats/file_place.h"

namespace ringscope {

struct NpyHeader {
  std::string descr;            // <f4, |b1, <U6, ...
  char order = '|';             // < little-endian, > big-endian, | without order
  char kind = 0;                // f, i, u, b, c, U, S, V, m, M
  std::int64_t item_bytes = 0;  // 4 per character of U
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::uint64_t data_begin = 0;
};

// Throws Error(bad_file); pickled objects and records are refused.
NpyHeader read_npy_header(Bytes npy, const FilePlace& place);

}  // namespace ringscope
