// One array inside a right npz file: the CRC would keep damage of whole files from the npy header.
#include "formats/byte_reader.h"
#include "tests/formats/bytes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/read_tensors.h"

namespace ringscope {

void fuzz_one(std::span<const std::byte> input) {
  const std::string file = zip_of({{"q.npy", std::string(text_in(input))}});
  read_tensors(bytes_of_text(file));
}

std::vector<std::string> fuzz_seeds() {
  return {npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }", std::string(24, '\x3F')),
          npy_of("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 2), }", std::string(32, '\x3F')),
          npy_of("{'descr': '<f2', 'fortran_order': True, 'shape': (1, 3, 2), }", std::string(12, '\x3F')),
          npy_of("{'descr': '|S3', 'fortran_order': False, 'shape': (), }", "abc"),
          npy_of("{'descr': '<U2', 'fortran_order': False, 'shape': (), }", std::string("a\0\0\0b\0\0\0", 8)),
          npy_of("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "\x80\x04K\x01.")};
}

}  // namespace ringscope
