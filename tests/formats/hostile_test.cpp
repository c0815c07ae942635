// Every file of tests/data/hostile (made by tests/data/make_hostile.py) is refused, and for its own reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/error.h"
#include "formats/tensor_file.h"

namespace ringscope {
namespace {

namespace fs = std::filesystem;

const fs::path hostile = fs::path(RINGSCOPE_SOURCE_DIR) / "tests/data/hostile";

const std::map<std::string_view, std::string_view> reasons = {
    {"bomb.npz", "entry `q.npy`: 301990016 bytes to unpack or reorder"},
    {"bomb_claims_little.npz", "entry `q.npy`: more than 152 bytes, as the directory says"},
    {"bomb_claims_the_impossible.npz", "entry `q.npy`: 2147483648 bytes in 73"},
    {"bomb_in_two_parts.npz", "entry `q.npy`: 150995072 bytes to unpack or reorder"},
    {"bytes_before.npz", "zip directory: 51 bytes from byte 187"},
    {"comment_is_cut.npz", "a zip file without its directory at the end"},
    {"count_asks_zip64.npz", "zip directory: another record than it counts"},
    {"count_too_large.npz", "zip directory: another record than it counts"},
    {"count_too_small.npz", "zip directory: more records than it counts"},
    {"crc_wrong.npz", "entry `q.npy`: bytes that do not have their CRC"},
    {"crc_wrong_deflated.npz", "entry `q.npy`: bytes that do not have their CRC"},
    {"deflate_broken.npz", "entry `q.npy`: a broken deflate stream"},
    {"deflate_cut.npz", "entry `q.npy`: a broken deflate stream"},
    {"deflate_too_little.npz", "entry `q.npy`: 151 bytes unpacked"},
    {"deflate_trailing.npz", "entry `q.npy`: 4 bytes behind the deflate stream"},
    {"descr_is_code.npz", "entry `q.npy`: in the npy header `__import__('os').system('id'), 'fortran_`"},
    {"descr_unknown.npz", "entry `q.npy`: descr `<q4`"},
    {"empty.safetensors", "an empty file"},
    {"encrypted.npz", "entry `q.npy`: encrypted"},
    {"end_before_begin.safetensors", "tensor `q`: bytes 12 to 0"},
    {"entry_beyond_end.npz", "entry `q.npy`: no record at byte 1073741824"},
    {"entry_inside_another.npz", "entry `b.npy`: bytes of `a.npy` too"},
    {"gap.safetensors", "tensor `k`: a gap before byte 16"},
    {"header_begins_with_space.safetensors", "header: no { at its begin"},
    {"header_beyond_end.safetensors", "header: a length of 100 bytes where 2 follow"},
    {"header_huge_exponent.safetensors", "header, byte 34: no JSON at `1e999`"},
    {"header_is_array.safetensors", "header: no { at its begin"},
    {"header_is_cut.safetensors", "header, byte 25: no JSON at `\"sha`"},
    {"header_length_huge.safetensors", "header: a length of 1099511627776 bytes"},
    {"header_length_overflow.safetensors", "header: a length of 18446744073709551615 bytes"},
    {"header_lone_surrogate.safetensors", "header, byte 9: no JSON at `\"\\ud800\"`"},
    {"header_nan.safetensors", "header, byte 30: no JSON at `\"shape\":[N`"},
    {"header_nested.safetensors", "header: an array as `q`"},
    {"header_nested_objects.safetensors", "tensor `a`: key `a`"},
    {"header_no_utf8.safetensors", "header, byte 4: no JSON at `\"q\\xFF`"},
    {"header_twice.safetensors", "header, byte 3: no JSON at `{}{`"},
    {"key_twice.safetensors", "tensor `q`: key `dtype` twice"},
    {"key_unknown.safetensors", "tensor `q`: key `pickle`"},
    {"metadata_nested.safetensors", "__metadata__: an object as `mask`"},
    {"metadata_number.safetensors", "__metadata__: 0.125 as `scale`"},
    {"metadata_twice.safetensors", "__metadata__: key `mask` twice"},
    {"method_lzma.npz", "entry `q.npy`: compression method 14"},
    {"name_absolute.npz", "entry `/etc/q.npy`: a path as name"},
    {"name_backslash.npz", "entry `..\\q.npy`: a path as name"},
    {"name_empty.npz", "entry ``: a name that is empty or no UTF-8"},
    {"name_folder.npz", "entry `q/`: a path as name"},
    {"name_not_utf8.npz", "entry `\\xFF.npy`: a name that is empty or no UTF-8"},
    {"name_nul.npz", "entry `q\\x00.npy`: a path as name"},
    {"name_parent.npz", "entry `../q.npy`: a path as name"},
    {"name_steers_terminal.safetensors", "tensor `\\x1B[2J`: bytes 0 to 16 of 12"},
    {"name_twice.npz", "entry `q.npy`: the name twice"},
    {"name_twice.safetensors", "header: key `q` twice"},
    {"no_directory.npz", "a zip file without its directory at the end"},
    {"no_npy.npz", "entry `q.npy`: bytes that are no npy array"},
    {"npy_header_beyond_end.npz", "entry `q.npy`: an npy header beyond the entry's end"},
    {"npy_version.npz", "entry `q.npy`: npy version 9.0"},
    {"object_array.npz", "entry `q.npy`: pickled Python objects"},
    {"offset_beyond_64_bits.safetensors", "tensor `q`: 18446744073709551616 as `data_offsets`"},
    {"offset_float.safetensors", "tensor `q`: 0.0 as `data_offsets`"},
    {"offset_negative.safetensors", "tensor `q`: a negative number as `data_offsets`"},
    {"offset_text.safetensors", "tensor `q`: a string as `data_offsets`"},
    {"offset_wraps.safetensors", "tensor `q`: 18446744073709551604 as `data_offsets`"},
    {"only_the_mark.npz", "a zip file without its directory at the end"},
    {"order_missing.npz", "entry `q.npy`: key `x` in the npy header"},
    {"other_disk.npz", "entry `q.npy`: a part on another disk"},
    {"overlap.safetensors", "tensor `k`: bytes 8 to 20, overlapping the tensor before"},
    {"patched_data.npz", "entry `q.npy`: a patch of another file"},
    {"records.npz", "entry `q.npy`: records"},
    {"records_with_objects.npz", "entry `q.npy`: records"},
    {"renamed.npz", "entry `q.npy`: another name at the data, `k.npy`"},
    {"same_bytes_twice.safetensors", "tensor `k`: bytes 0 to 12, overlapping the tensor before"},
    {"several_disks.npz", "zip directory: parts on several disks"},
    {"shape_bytes_wrap.npz", "entry `q.npy`: shape [2305843009213693952] of `<f8`, more than 64 bits can count"},
    {"shape_bytes_wrap.safetensors", "tensor `q`: shape [2305843009213693952], more elements than 64 bits can count"},
    {"shape_hides_overflow.safetensors",
     "tensor `q`: shape [0, 4611686018427387904, 4611686018427387904], more elements than 64 bits can count"},
    {"shape_is_code.npz", "entry `q.npy`: in the npy header `exit(),), }                             `"},
    {"shape_negative.npz", "entry `q.npy`: in the npy header `-2, -3), }                              `"},
    {"shape_negative.safetensors", "tensor `q`: a negative number as `shape`"},
    {"shape_nested.safetensors", "tensor `q`: an array as `shape`"},
    {"shape_null.safetensors", "tensor `q`: null as `shape`"},
    {"shape_product_wraps.npz", "entry `q.npy`: shape [4294967296, 4294967296] of `<f4`, more than 64 bits can count"},
    {"shape_product_wraps.safetensors",
     "tensor `q`: shape [4294967296, 4294967296], more elements than 64 bits can count"},
    {"shape_too_large.npz", "entry `q.npy`: 24 bytes of data"},
    {"shape_too_large.safetensors", "tensor `q`: 12 bytes"},
    {"short.safetensors", "3 bytes"},
    {"single_array.npy", "a single npy array"},
    {"stored_sizes_differ.npz", "entry `q.npy`: stored, 9 bytes in 152"},
    {"tensor_is_array.safetensors", "header: an array as `q`"},
    {"text_no_code_point.npz", "entry `mask.npy`: a character that is none"},
    {"text_no_utf8.npz", "entry `mask.npy`: text that is no UTF-8"},
    {"torch_pickle.pt", "header: a length of 5088219219985302144 bytes"},
    {"torch_zip.pt", "entry `archive/data.pkl`: an entry that is no .npy array"},
    {"trailing_bytes.safetensors", "end: 16 bytes of data"},
    {"truncated.safetensors", "tensor `q`: bytes 0 to 12 of 7"},
    {"type_half_byte.safetensors", "tensor `q`: shape [1] of F4, no whole number of bytes"},
    {"type_missing.safetensors", "tensor `q`: no dtype"},
    {"type_unknown.safetensors", "tensor `q`: dtype `F33`"},
};

class Hostile : public testing::TestWithParam<std::pair<const std::string_view, std::string_view>> {};

TEST_P(Hostile, IsRefusedForItsOwnReason) {
  const auto& [name, reason] = GetParam();
  const std::string path = hostile / name;
  try {
    TensorFile::read(path);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind, ErrorKind::bad_file);
    EXPECT_THAT(e.got, testing::HasSubstr(std::string(reason)));
    EXPECT_TRUE(e.got.starts_with(path + ", ") || e.got.starts_with(path + ": ")) << e.got;
    EXPECT_FALSE(e.want.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Hostile, testing::ValuesIn(reasons), [](const auto& file) {
  std::string name(file.param.first);
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(HostileFiles, EveryFileHasItsReason) {
  for (const auto& file : fs::directory_iterator(hostile)) {
    EXPECT_TRUE(reasons.contains(file.path().filename().string())) << file.path();
  }
}

}  // namespace
}  // namespace ringscope
