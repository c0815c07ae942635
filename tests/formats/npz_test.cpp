#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "core/error.h"
#include "formats/tensor_file.h"
#include "tests/formats/bytes.h"
#include "tests/formats/refusal.h"

namespace ringscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TensorFile opened(std::string_view file) {
  return TensorFile::from_bytes(bytes_of_text(file), "file");
}

std::string f32_bytes(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += little_endian(std::bit_cast<std::uint32_t>(value), 4);
  return bytes;
}

std::vector<double> values_of(const FileTensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.size()));
  tensor.read(0, values);
  return values;
}

constexpr std::string_view right_dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
const std::string six = f32_bytes({0, 1, 2, 3, 4, 5});

std::string with_dict(std::string_view dict) {
  return zip_of({{"q.npy", npy_of(dict, six)}});
}

// The right dict with its first `what` replaced.
std::string refusal_with(std::string_view what, std::string_view by) {
  std::string dict(right_dict);
  const std::size_t at = dict.find(what);
  EXPECT_NE(at, dict.npos) << what;
  return refusal_of(with_dict(dict.replace(at, what.size(), by)));
}

TEST(Npz, StoredAndDeflatedArraysHoldTheSame) {
  const std::string npy = npy_of(right_dict, six);
  const std::string bytes = zip_of({{"q.npy", npy}, {"k.npy", npy, true}});
  const TensorFile file = opened(bytes);
  ASSERT_EQ(file.tensors().size(), 2U);
  for (const FileTensor& tensor : file.tensors()) {
    EXPECT_EQ(tensor.type, ElementType::f32);
    EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
    EXPECT_THAT(values_of(tensor), ElementsAre(0, 1, 2, 3, 4, 5));
  }
  const auto inside = [&](const FileTensor& tensor) {
    return tensor.bytes.data() >= bytes_of_text(bytes).data() &&
           tensor.bytes.data() < bytes_of_text(bytes).data() + bytes.size();
  };
  EXPECT_TRUE(inside(file.require("q")));
  EXPECT_FALSE(inside(file.require("k")));
}

TEST(Npz, ColumnMajorAndBigEndianArraysAreReordered) {
  const std::string columns =
      zip_of({{"q.npy", npy_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", six)}});
  EXPECT_THAT(values_of(opened(columns).require("q")), ElementsAre(0, 2, 4, 1, 3, 5));

  const std::string cube =
      zip_of({{"q.npy", npy_of("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1, 3)}", six)}});
  EXPECT_THAT(values_of(opened(cube).require("q")), ElementsAre(0, 2, 4, 1, 3, 5));

  std::string turned = six;
  for (std::size_t i = 0; i < turned.size(); i += 4) std::reverse(&turned[i], &turned[i] + 4);
  const std::string big =
      zip_of({{"q.npy", npy_of("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}", turned)}});
  EXPECT_THAT(values_of(opened(big).require("q")), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Npz, StringsWithoutDimensionsAreMetadata) {
  std::string wide;
  for (const char32_t c : {U'c', U'\u00F6', U'\u20AC', U'\U0001F600', U'\0'}) wide += little_endian(c, 4);
  const std::string bytes = zip_of(
      {{"mask.npy", npy_of("{'descr': '<U5', 'fortran_order': False, 'shape': (), }", wide)},
       {"source.npy", npy_of("{'descr': '|S4', 'fortran_order': False, 'shape': (), }", std::string("a b\0", 4))},
       {"none.npy", npy_of("{'descr': '<U0', 'fortran_order': False, 'shape': (), }", "")}});
  const TensorFile file = opened(bytes);
  EXPECT_TRUE(file.tensors().empty());
  EXPECT_THAT(file.metadata(), ElementsAre(Pair("mask", "c\xC3\xB6\xE2\x82\xAC\xF0\x9F\x98\x80"), Pair("none", ""),
                                           Pair("source", "a b")));
}

TEST(Npz, OtherTypesAreThereButNotRead) {
  const std::string eight(8, '\0');
  const std::string bytes =
      zip_of({{"ids.npy", npy_of("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", eight)},
              {"words.npy", npy_of("{'descr': '<U1', 'fortran_order': False, 'shape': (2,), }", eight)}});
  const TensorFile file = opened(bytes);
  EXPECT_TRUE(file.tensors().empty());
  ASSERT_EQ(file.others().size(), 2U);
  EXPECT_EQ(file.others()[0].name, "ids");
  EXPECT_EQ(file.others()[0].type, "<i8");
  EXPECT_EQ(file.others()[1].name, "words");
  EXPECT_EQ(file.others()[1].type, "<U1");
}

TEST(Npz, WhatIsWrongInAnArrayIsNamed) {
  ASSERT_EQ(refusal_of(with_dict(right_dict)), "accepted");
  EXPECT_THAT(refusal_with("<f4", "|O"), HasSubstr("file, entry `q.npy`: pickled Python objects"));
  EXPECT_THAT(refusal_with("'<f4'", "[('a', '<f4')]"), HasSubstr("records"));
  EXPECT_THAT(refusal_with("<f4", "<z4"), HasSubstr("descr `<z4`"));
  EXPECT_THAT(refusal_with("<f4", "<f99999999999999999999"), HasSubstr("descr `<f9999"));
  EXPECT_THAT(refusal_with("<f4", "<f8"), HasSubstr("24 bytes of data; want 48 for shape [2, 3] of `<f8`"));
  EXPECT_THAT(refusal_with("(2, 3)", "(2, -3)"), HasSubstr("`-3)"));
  EXPECT_THAT(refusal_with("(2, 3)", "(6)"), HasSubstr("want `,`"));
  EXPECT_THAT(refusal_with("(2, 3)", "(2, 3.0)"), HasSubstr("in the npy header `.0)"));
  EXPECT_THAT(refusal_with("(2, 3)", "(2, 9223372036854775808)"), HasSubstr("want a whole number from 0"));
  EXPECT_THAT(refusal_with("(2, 3)", "(4294967296, 4294967296)"), HasSubstr("more than 64 bits can count"));
  EXPECT_THAT(refusal_with("(2, 3)", "(" + std::string(100, '(')), HasSubstr("want a whole number"));
  EXPECT_THAT(refusal_with("(2, 3)", "(__import__('os'),)"), HasSubstr("want a whole number"));
  EXPECT_THAT(refusal_with("False", "0"), HasSubstr("want True or False"));
  EXPECT_THAT(refusal_with("'shape': (2, 3), ", ""), HasSubstr("without one of its keys"));
  EXPECT_THAT(refusal_with("'shape'", "'fortran_order'"), HasSubstr("key `fortran_order` twice"));
  EXPECT_THAT(refusal_with("'fortran_order': False", "'descr': '<f4'"), HasSubstr("key `descr` twice"));
  EXPECT_THAT(refusal_with("'shape'", "'form'"), HasSubstr("key `form`"));
  EXPECT_THAT(refusal_with("}", "} or 1"), HasSubstr("want nothing behind the }"));
  EXPECT_THAT(refusal_of(zip_of({{"q.npy", "no npy array"}})), HasSubstr("bytes that are no npy array"));
  EXPECT_THAT(refusal_of(zip_of({{"q.npy", "\x93NUMPY\4" + std::string(9, '\0')}})), HasSubstr("npy version 4.0"));
  EXPECT_THAT(refusal_of(zip_of({{"q.npy", std::string("\x93NUMPY\1\0\xFF\xFF{}", 12)}})),
              HasSubstr("beyond the entry's end"));
  EXPECT_THAT(refusal_of(npy_of(right_dict, six)), HasSubstr("file: a single npy array"));
}

TEST(Npz, TextThatIsNoneIsRefused) {
  const auto text = [](std::string_view descr, std::string_view data) {
    return refusal_of(
        zip_of({{"mask.npy",
                 npy_of("{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (), }", data)}}));
  };
  EXPECT_THAT(text("<U1", little_endian(0xD800, 4)), HasSubstr("a character that is none"));
  EXPECT_THAT(text("<U1", little_endian(0x110000, 4)), HasSubstr("a character that is none"));
  EXPECT_THAT(text("|S2", "\xC0\xAF"), HasSubstr("text that is no UTF-8"));
  EXPECT_THAT(text(">U1", std::string(4, '\0')), HasSubstr("big-endian text"));
  EXPECT_THAT(text("|S1048577", std::string(1048577, 'a')), HasSubstr("1048577 bytes of text"));
}

TEST(Npz, NamesThatLeadOutOfAFolderAreRefused) {
  const std::string npy = npy_of(right_dict, six);
  for (const char* const name : {"../q.npy", "/q.npy", "a/../q.npy", "a\\q.npy", "q.npy/", "..", "\xFF.npy", ""}) {
    EXPECT_THAT(refusal_of(zip_of({{name, npy}})), HasSubstr("want a plain name in UTF-8")) << name;
  }
  EXPECT_EQ(refusal_of(zip_of({{"layer0/q.npy", npy}})), "accepted");
  EXPECT_THAT(refusal_of(zip_of({{"q.npy", npy}, {"q.npy", npy}})), HasSubstr("entry `q.npy`: the name twice"));
  EXPECT_THAT(refusal_of(zip_of({{"archive/data.pkl", npy}})), HasSubstr("PyTorch's .pt files"));
}

TEST(Npz, ADirectoryThatLiesIsRefused) {
  const std::string file = with_dict(right_dict);
  const std::size_t directory = file.find("PK\1\2"), end = file.find("PK\5\6");
  const auto patched = [&](std::size_t at, std::uint64_t number, int size) {
    return refusal_of(std::string(file).replace(at, static_cast<std::size_t>(size), little_endian(number, size)));
  };
  EXPECT_THAT(patched(directory + 8, 1, 2), HasSubstr("encrypted"));
  EXPECT_THAT(patched(directory + 8, 0x20, 2), HasSubstr("a patch"));
  EXPECT_THAT(patched(directory + 8, 2, 2), HasSubstr("another method at the data"));
  EXPECT_THAT(patched(directory + 10, 14, 2), HasSubstr("compression method 14"));
  EXPECT_THAT(patched(directory + 10, 8, 2), HasSubstr("another method at the data"));
  EXPECT_THAT(patched(directory + 16, 0, 4), HasSubstr("another CRC at the data"));
  EXPECT_THAT(patched(directory + 20, 7, 4), HasSubstr("bytes in 7"));
  EXPECT_THAT(patched(directory + 24, 7, 4), HasSubstr("stored, 7 bytes in"));
  EXPECT_THAT(patched(directory + 24, 0xFFFFFFFF, 4), HasSubstr("a broken extra field"));
  EXPECT_THAT(patched(directory + 28, 4, 2), HasSubstr("another name at the data"));
  EXPECT_THAT(patched(directory + 28, 0xFFFF, 2), HasSubstr("a record beyond the directory"));
  EXPECT_THAT(patched(directory + 34, 1, 2), HasSubstr("a part on another disk"));
  EXPECT_THAT(patched(directory + 42, 1, 4), HasSubstr("no record at byte 1"));
  EXPECT_THAT(patched(directory + 42, 0x7FFFFFFF, 4), HasSubstr("no record at byte 2147483647"));
  EXPECT_THAT(patched(end + 4, 1, 2), HasSubstr("parts on several disks"));
  EXPECT_THAT(patched(end + 8, 2, 2), HasSubstr("parts on several disks"));
  EXPECT_THAT(patched(end + 8, 0x00020002, 4), HasSubstr("another record than it counts"));
  EXPECT_THAT(patched(end + 8, 0, 4), HasSubstr("more records than it counts"));
  EXPECT_THAT(patched(end + 8, 0xFFFFFFFF, 4), HasSubstr("another record than it counts"));
  EXPECT_THAT(patched(end + 12, 1, 4), HasSubstr("zip directory: 1 bytes from byte"));
  EXPECT_THAT(patched(end + 16, 1, 4), HasSubstr("from byte 1; want an end at byte"));
  EXPECT_THAT(patched(end + 20, 1, 2), HasSubstr("without its directory at the end"));
  EXPECT_THAT(patched(directory - 1, 9, 1), HasSubstr("bytes that do not have their CRC"));
  for (std::size_t size = 2; size < file.size(); ++size) {
    EXPECT_NE(refusal_of(file.substr(0, size)), "accepted") << size;
  }
}

// The right file with zip64's end record and locator.
std::string zip64_of(std::uint64_t entries, std::uint64_t disk) {
  const std::string file = with_dict(right_dict);
  const std::size_t directory = file.find("PK\1\2"), end = file.find("PK\5\6");
  std::string record = "PK\6\6" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2);
  record += little_endian(disk, 4) + little_endian(disk, 4) + little_endian(entries, 8) + little_endian(entries, 8);
  record += little_endian(end - directory, 8) + little_endian(directory, 8);
  const std::string locator = "PK\6\7" + little_endian(0, 4) + little_endian(end, 8) + little_endian(1, 4);
  return file.substr(0, end) + record + locator + file.substr(end);
}

TEST(Npz, Zip64IsRead) {
  const std::string narrow = zip64_of(1, 0);  // 32 bits hold the numbers too: so Python writes it from 2 GiB on
  ASSERT_EQ(refusal_of(narrow), "accepted");
  const std::size_t end = narrow.find("PK\5\6");
  std::string wide = narrow;
  wide.replace(end + 8, 12, std::string(12, '\xFF'));
  EXPECT_EQ(refusal_of(wide), "accepted");
  std::string other = narrow;
  other.replace(end + 12, 4, little_endian(1, 4));
  EXPECT_THAT(refusal_of(other), HasSubstr("other numbers than in zip64's end record"));
  EXPECT_THAT(refusal_of(zip64_of(2, 0)), HasSubstr("other numbers than in zip64's end record"));
  EXPECT_THAT(refusal_of(zip64_of(1, 1)), HasSubstr("zip64 directory: parts on several disks"));
  std::string lost = narrow;
  lost.replace(narrow.find("PK\6\7") + 8, 8, little_endian(~0ULL, 8));
  EXPECT_THAT(refusal_of(lost), HasSubstr("none at byte 18446744073709551615"));
  lost = wide;
  lost.replace(narrow.find("PK\6\6") + 24, 16, std::string(16, '\xFF'));
  EXPECT_THAT(refusal_of(lost), HasSubstr("18446744073709551615 entries"));
}

TEST(Npz, EntriesThatShareBytesAreRefused) {
  const std::string npy = npy_of(right_dict, six);
  std::string file = zip_of({{"a.npy", npy}, {"b.npy", npy}});
  const std::size_t first = file.find("PK\1\2"), second = file.find("PK\1\2", first + 4);
  // Both records and both names say `a.npy`'s data; only the directory's names differ.
  file.replace(second + 42, 4, little_endian(0, 4));
  EXPECT_THAT(refusal_of(file), HasSubstr("another name at the data"));
  file.replace(file.find("b.npy", second), 5, "a.npy");
  EXPECT_THAT(refusal_of(file), HasSubstr("the name twice"));

  // A stored entry whose data is a whole entry again: names and sizes are right, the bytes are shared.
  const std::string inner = zip_of({{"b.npy", npy}});
  const std::string record = inner.substr(0, inner.find("PK\1\2"));
  std::string outer = zip_of({{"a.npy", record}, {"b.npy", npy}});
  const std::size_t b = outer.find("PK\1\2", outer.find("PK\1\2") + 4);
  outer.replace(b + 42, 4, little_endian(30 + 5, 4));
  EXPECT_THAT(refusal_of(outer), HasSubstr("entry `b.npy`: bytes of `a.npy` too"));
}

TEST(Npz, WhatUnpacksToAnotherSizeIsRefused) {
  const std::string npy = npy_of(right_dict, six);
  const std::string file = zip_of({{"q.npy", npy, true}});
  const std::size_t directory = file.find("PK\1\2");
  const auto claiming = [&](std::uint64_t size) {
    return refusal_of(
        std::string(file).replace(22, 4, little_endian(size, 4)).replace(directory + 24, 4, little_endian(size, 4)));
  };
  EXPECT_THAT(claiming(npy.size() - 1), HasSubstr("more than 151 bytes"));
  EXPECT_THAT(claiming(npy.size() + 1), HasSubstr("152 bytes unpacked; want 153"));
  EXPECT_THAT(claiming(1 << 30), HasSubstr("want sizes that can be"));
  std::string broken = file;
  broken[35] = '\7';  // the first block's kind: reserved
  EXPECT_THAT(refusal_of(broken), HasSubstr("a broken deflate stream"));
}

}  // namespace
}  // namespace ringscope
