#include "tests/formats/bytes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/read_tensors.h"

namespace ringscope {

void fuzz_one(std::span<const std::byte> input) {
  read_tensors(input);
}

std::vector<std::string> fuzz_seeds() {
  const std::string q =
      npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }", std::string(24, '\x3F'));
  const std::string k = npy_of("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 2), }", std::string(32, '\x3F'));
  const std::string mask =
      npy_of("{'descr': '<U2', 'fortran_order': False, 'shape': (), }", std::string("a\0\0\0b\0\0\0", 8));
  return {zip_of({}), zip_of({{"q.npy", q}}), zip_of({{"q.npy", q, true}}),
          zip_of({{"q.npy", q}, {"k.npy", k, true}, {"mask.npy", mask}})};
}

}  // namespace ringscope
