#include "tests/formats/bytes.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/read_tensors.h"

namespace ringscope {

void fuzz_one(std::span<const std::byte> input) {
  read_tensors(input);
}

std::vector<std::string> fuzz_seeds() {
  return {
      safetensors_of("{}", ""),
      safetensors_of(R"({"__metadata__":{"mask":"causal"},"q":{"dtype":"F32","shape":[1,2,3],"data_offsets":[0,24]}})",
                     std::string(24, '\x3F')),
      safetensors_of(R"({"k":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]},)"
                     R"("q":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                     R"("v":{"dtype":"F8_E4M3","shape":[1,1,1,2],"data_offsets":[14,16]},)"
                     R"("x":{"dtype":"F16","shape":[],"data_offsets":[12,14]},)"
                     R"("y":{"dtype":"I64","shape":[0,7],"data_offsets":[16,16]}}   )",
                     std::string(16, '\x7F'))};
}

}  // namespace ringscope
