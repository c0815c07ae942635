#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/error.h"
#include "formats/tensor_file.h"
#include "tests/formats/bytes.h"
#include "tests/formats/refusal.h"

namespace ringscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr std::array every_type = {ElementType::f64, ElementType::f32, ElementType::bf16, ElementType::f16,
                                   ElementType::e4m3};

std::string temporary(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TensorFile opened(std::string_view file) {
  return TensorFile::from_bytes(bytes_of_text(file), "file");
}

// One tensor `q` of 12 bytes with this entry.
std::string with_entry(std::string_view entry) {
  return safetensors_of(std::string("{\"q\":").append(entry) + "}", std::string(12, '\0'));
}

constexpr std::string_view right_entry = R"({"dtype":"F32","shape":[1,3],"data_offsets":[0,12]})";

// The right entry with its first `what` replaced.
std::string refusal_with(std::string_view what, std::string_view by) {
  std::string entry(right_entry);
  const std::size_t at = entry.find(what);
  EXPECT_NE(at, entry.npos) << what;
  return refusal_of(with_entry(entry.replace(at, what.size(), by)));
}

TEST(Safetensors, EveryValueOfEveryTypeComesBackAsItWas) {
  const std::vector<double> values = {0, -0.0, 1, -1.5, 0x1p-9, -0x1p-9, 240, inf, -inf, std::nan("")};
  std::vector<TensorToWrite> tensors;
  for (const ElementType type : every_type) {
    std::vector<double> own = values;
    own.push_back(ulp(type, 0));  // the smallest denormal
    tensors.push_back({std::string(name_of(type)), type, {1, 11, 1}, own});
  }
  const std::string path = temporary("every_type.safetensors");
  write_safetensors(path, tensors, {{"mask", "causal"}, {"case", "b1 \"quoted\" \xC3\xB6 | \n"}});

  const TensorFile file = TensorFile::read(path);
  EXPECT_EQ(file.path(), path);
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("case", "b1 \"quoted\" \xC3\xB6 | \n"), Pair("mask", "causal")));
  ASSERT_EQ(file.tensors().size(), tensors.size());
  EXPECT_TRUE(file.others().empty());
  for (const TensorToWrite& written : tensors) {
    const FileTensor& read = file.require(written.name);
    EXPECT_EQ(read.type, written.type);
    EXPECT_EQ(read.shape, written.shape);
    ASSERT_EQ(read.size(), 11);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.bytes.data()) % static_cast<std::uintptr_t>(bytes_of(read.type)),
              0);
    for (std::int64_t i = 0; i < read.size(); ++i) {
      const double expected = round_to(written.type, written.values[static_cast<std::size_t>(i)]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(read.value(i))) << written.name;
      } else {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(read.value(i)), std::bit_cast<std::uint64_t>(expected)) << written.name;
      }
    }
  }
}

TEST(Safetensors, EveryBitPatternIsWidenedExactly) {
  const auto every_pattern = [](std::string_view word, ElementType type, int patterns) {
    std::string data;
    for (int bits = 0; bits < patterns; ++bits) {
      data += little_endian(static_cast<std::uint64_t>(bits), static_cast<int>(bytes_of(type)));
    }
    const std::string header = "{\"x\":{\"dtype\":\"" + std::string(word) + "\",\"shape\":[" +
                               std::to_string(patterns) + "],\"data_offsets\":[0," + std::to_string(data.size()) +
                               "]}}";
    const std::string bytes = safetensors_of(header, data);
    const TensorFile file = opened(bytes);
    const FileTensor& tensor = file.require("x");
    std::vector<double> values(static_cast<std::size_t>(patterns));
    tensor.read(0, values);
    for (int bits = 0; bits < patterns; ++bits) {
      const double expected = decode(type, static_cast<std::uint64_t>(bits)),
                   got = values[static_cast<std::size_t>(bits)];
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(got)
                                       : expected == got && std::signbit(expected) == std::signbit(got))
          << word << " " << bits;
    }
  };
  every_pattern("BF16", ElementType::bf16, 65536);
  every_pattern("F16", ElementType::f16, 65536);
  every_pattern("F8_E4M3", ElementType::e4m3, 256);
}

TEST(Safetensors, ANanKeepsItsPayloadInTheBytes) {
  const std::uint32_t signalling = 0x7FA12345;
  const std::string bytes =
      safetensors_of(R"({"q":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", little_endian(signalling, 4));
  const TensorFile file = opened(bytes);
  const FileTensor& q = file.require("q");
  std::uint32_t bits = 0;
  std::memcpy(&bits, q.bytes.data(), sizeof(bits));
  EXPECT_EQ(bits, signalling);
  EXPECT_TRUE(std::isnan(q.value(0)));
}

TEST(Safetensors, ATensorMayBeEmptyAndMayLieUnaligned) {
  const std::string bytes = safetensors_of(
      R"({"odd":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"none":{"dtype":"F32","shape":[0,7],"data_offsets":[1,1]},)"
      R"("two":{"dtype":"F64","shape":[1,2],"data_offsets":[1,17]}}   )",
      std::string(1, '\7') + little_endian(std::bit_cast<std::uint64_t>(-2.5), 8) +
          little_endian(std::bit_cast<std::uint64_t>(4e-310), 8));
  const TensorFile file = opened(bytes);
  EXPECT_EQ(file.require("none").size(), 0);
  EXPECT_EQ(file.require("two").value(0), -2.5);
  EXPECT_EQ(file.require("two").value(1), 4e-310);
}

TEST(Safetensors, OtherTypesAreThereButAreRefusedOnlyWhenAskedFor) {
  const std::string bytes = safetensors_of(
      R"({"ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},"q":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
      std::string(12, '\0'));
  const TensorFile file = opened(bytes);
  ASSERT_EQ(file.others().size(), 1U);
  EXPECT_EQ(file.others()[0].name, "ids");
  EXPECT_EQ(file.others()[0].type, "I64");
  EXPECT_EQ(file.find("ids"), nullptr);
  EXPECT_NE(file.find("q"), nullptr);
  const auto refusal = [&](std::string_view name) -> std::string {
    try {
      file.require(name);
    } catch (const Error& e) {
      return e.what();
    }
    return "there";
  };
  EXPECT_EQ(refusal("q"), "there");
  EXPECT_THAT(refusal("ids"), HasSubstr("got file, tensor `ids`: type `I64`; want F64, F32"));
  EXPECT_THAT(refusal("qq"), HasSubstr("the nearest name is `q`"));
  EXPECT_THAT(refusal("banana"), HasSubstr("it has `q`"));
}

TEST(Safetensors, ATensorBeyondTwoGigabytesIsReadWhereItLies) {
  const std::int64_t elements = (std::int64_t{1} << 29) + (std::int64_t{1} << 20);  // f32: 2.004 GiB
  const std::string header = R"({"k":{"dtype":"F32","shape":[)" + std::to_string(elements) + R"(],"data_offsets":[0,)" +
                             std::to_string(elements * 4) + "]}}";
  const std::string path = temporary("sparse.safetensors");
  std::ofstream(path, std::ios::binary) << safetensors_of(header, "");
  const auto begin = static_cast<std::int64_t>(std::filesystem::file_size(path));
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(begin + elements * 4));  // a hole: no disk, zeros
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(begin + (elements - 1) * 4);
    file << little_endian(std::bit_cast<std::uint32_t>(6.25F), 4);
  }
  {
    const TensorFile file = TensorFile::read(path);
    const FileTensor& k = file.require("k");
    EXPECT_EQ(k.size(), elements);
    EXPECT_EQ(k.value(elements - 1), 6.25);
    EXPECT_EQ(k.value(elements - 2), 0);
  }
  std::filesystem::remove(path);
}

TEST(Safetensors, WhatIsWrongInAnEntryIsNamed) {
  ASSERT_EQ(refusal_of(with_entry(right_entry)), "accepted");
  EXPECT_THAT(refusal_with("F32", "F33"), HasSubstr("file, tensor `q`: dtype `F33`"));
  EXPECT_THAT(refusal_with("F32", "F64"), HasSubstr("12 bytes; want 24 for F64 [1, 3]"));
  EXPECT_THAT(refusal_with("F32", "F4"), HasSubstr("no whole number of bytes"));
  EXPECT_THAT(refusal_with("[1,3]", "[1,-3]"), HasSubstr("a negative number as `shape`; want whole numbers"));
  EXPECT_THAT(refusal_with("[1,3]", "[1,3.0]"), HasSubstr("3.0 as `shape`"));
  EXPECT_THAT(refusal_with("[1,3]", "[1,3e0]"), HasSubstr("3e0 as `shape`"));
  EXPECT_THAT(refusal_with("[1,3]", "[1,18446744073709551615]"), HasSubstr("18446744073709551615 as `shape`"));
  EXPECT_THAT(refusal_with("[1,3]", "[4294967296,4294967296]"), HasSubstr("more elements than 64 bits can count"));
  EXPECT_THAT(refusal_with("[1,3]", "[0,4294967296,4294967296]"), HasSubstr("more elements than 64 bits can count"));
  EXPECT_THAT(refusal_with("[1,3]", "[2305843009213693952,1]"), HasSubstr("more elements than 64 bits can count"));
  EXPECT_THAT(refusal_with("[1,3]", "[[1],3]"), HasSubstr("an array as `shape`"));
  EXPECT_THAT(refusal_with("[1,3]", "3"), HasSubstr("3 as `shape`"));
  EXPECT_THAT(refusal_with("[1,3]", "null"), HasSubstr("null as `shape`"));
  EXPECT_THAT(refusal_with("[0,12]", "[0,12,12]"), HasSubstr("3 numbers as data_offsets"));
  EXPECT_THAT(refusal_with("[0,12]", "[0]"), HasSubstr("1 numbers as data_offsets"));
  EXPECT_THAT(refusal_with("[0,12]", "[12,0]"), HasSubstr("bytes 12 to 0; want an end that is not before the begin"));
  EXPECT_THAT(refusal_with("[0,12]", "[0,16]"), HasSubstr("bytes 0 to 16 of 12; want a range inside the file's data"));
  EXPECT_THAT(refusal_with("[0,12]", "[4,12]"), HasSubstr("a gap before byte 4"));
  EXPECT_THAT(refusal_with("[0,12]", "[0,8]"), HasSubstr("file, end: 12 bytes of data; want 8"));
  EXPECT_THAT(refusal_with("\"F32\"", "32"), HasSubstr("32 as `dtype`"));
  EXPECT_THAT(refusal_with("\"dtype\":\"F32\",", ""), HasSubstr("no dtype"));
  EXPECT_THAT(refusal_with("\"shape\":[1,3],", ""), HasSubstr("no shape"));
  EXPECT_THAT(refusal_with("\"shape\":[1,3]", "\"shape\":[1,3],\"shape\":[3,1]"), HasSubstr("key `shape` twice"));
  EXPECT_THAT(refusal_with("dtype", "type"), HasSubstr("key `type`; want dtype, shape and data_offsets"));
}

TEST(Safetensors, WhatIsWrongInTheHeaderIsNamed) {
  const std::string data(8, '\0');
  const auto refusal = [&](std::string_view header) { return refusal_of(safetensors_of(header, data)); };
  const std::string a = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  const std::string b = R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]})";
  ASSERT_EQ(refusal("{" + a + "," + b + "}"), "accepted");
  ASSERT_EQ(refusal("{\"__metadata__\":{\"k\":\"v\"}," + a + "," + b + "}"), "accepted");
  EXPECT_THAT(refusal("{" + a + "," + a + "," + b + "}"), HasSubstr("file, header: key `a` twice"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"k":"v","k":"w"},)" + a + "," + b + "}"),
              HasSubstr("__metadata__: key `k` twice"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"k":1},)" + a + "," + b + "}"), HasSubstr("1 as `k`; want a string"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"k":{"l":"m"}},)" + a + "," + b + "}"),
              HasSubstr("an object as `k`; want a string"));
  EXPECT_THAT(refusal(R"({"__metadata__":7,)" + a + "," + b + "}"), HasSubstr("7 as `__metadata__`"));
  EXPECT_THAT(refusal("{" + a + ",\"b\":[]}"), HasSubstr("an array as `b`; want an object per tensor"));
  EXPECT_THAT(refusal("{" + a + R"(,"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})"),
              HasSubstr("tensor `b`: bytes 0 to 8, overlapping"));
  EXPECT_THAT(refusal("{" + a + R"(,"b":{"dtype":"F32","shape":[1],"data_offsets":[3,7]}})"),
              HasSubstr("overlapping the tensor before"));
  EXPECT_THAT(refusal("{" + a + "}"), HasSubstr("file, end: 8 bytes of data; want 4"));
  EXPECT_THAT(refusal("{" + a + "," + b), HasSubstr("no JSON"));
  EXPECT_THAT(refusal("{" + a + "," + b + "} {}"), HasSubstr("no JSON at "));
  EXPECT_THAT(refusal("[" + std::string(100000, '[')), HasSubstr("no { at its begin"));
  EXPECT_THAT(refusal("{\"a\":" + std::string(100000, '[')), HasSubstr("an array as `a`"));
  EXPECT_THAT(refusal("{\"a\xFF\":1}"), HasSubstr("no JSON at "));
  EXPECT_THAT(refusal(""), HasSubstr("no { at its begin"));
}

TEST(Safetensors, WhatIsWrongBeforeTheHeaderIsNamed) {
  EXPECT_THAT(refusal_of(""), HasSubstr("file: an empty file"));
  EXPECT_THAT(refusal_of("1234567"), HasSubstr("file: 7 bytes; want 8 bytes of header length at least"));
  EXPECT_THAT(refusal_of(little_endian(3, 8) + "{}"), HasSubstr("a length of 3 bytes where 2 follow"));
  EXPECT_THAT(refusal_of(little_endian(~0ULL, 8) + "{}"),
              HasSubstr("a length of 18446744073709551615 bytes; want at most"));
}

TEST(Safetensors, APathThatIsNoFileIsNamed) {
  const auto refusal = [](const std::string& path) -> std::string {
    try {
      TensorFile::read(path);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind, ErrorKind::bad_file);
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal(testing::TempDir()), HasSubstr("a directory"));
  EXPECT_THAT(refusal(temporary("missing.safetensors")), HasSubstr("missing.safetensors: No such file"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("a pipe or device"));
  EXPECT_THAT(refusal(std::string("a\033[31m\xFF")), HasSubstr("a\\x1B[31m\\xFF: No such file"));
  const std::string empty = temporary("empty.safetensors");
  std::ofstream{empty};
  EXPECT_THAT(refusal(empty), HasSubstr("an empty file"));
}

TEST(Safetensors, WhatCannotBeWrittenIsRefused) {
  const TensorToWrite q{"q", ElementType::f32, {1}, {1}};
  const auto refusal = [](const std::string& path, const std::vector<TensorToWrite>& tensors,
                          const std::map<std::string, std::string>& metadata) -> std::string {
    try {
      write_safetensors(path, tensors, metadata);
    } catch (const Error& e) {
      return e.what();
    }
    return "written";
  };
  const std::string path = temporary("written.safetensors");
  EXPECT_EQ(refusal(path, {q}, {}), "written");
  EXPECT_THAT(refusal(path, {q, q}, {}), HasSubstr("tensor `q` twice"));
  EXPECT_THAT(refusal(path, {q}, {{"k", "\xFF"}}), HasSubstr("metadata `k` of `\\xFF`"));
  EXPECT_THAT(refusal(temporary("no/folder.safetensors"), {q}, {}), HasSubstr("No such file or directory"));
}

TEST(Safetensors, TheSameTensorsMakeTheSameBytes) {
  const std::vector<TensorToWrite> tensors = {{"a", ElementType::bf16, {2}, {1, 2}}, {"b", ElementType::f64, {1}, {3}}};
  const std::string one = temporary("one.safetensors"), two = temporary("two.safetensors");
  write_safetensors(one, tensors, {{"k", "v"}});
  write_safetensors(two, tensors, {{"k", "v"}});
  EXPECT_EQ(contents(one), contents(two));
  EXPECT_FALSE(contents(one).empty());
}

}  // namespace
}  // namespace ringscope
