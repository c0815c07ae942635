#include "tests/formats/refusal.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "formats/tensor_file.h"
#include "tests/formats/bytes.h"

namespace ringscope {

std::string refusal_of(std::string_view file) {
  try {
    TensorFile::from_bytes(bytes_of_text(file), "file");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::bad_file) << e.what();
    return e.what();
  }
  return "accepted";
}

}  // namespace ringscope
