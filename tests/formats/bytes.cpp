#include "tests/formats/bytes.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "formats/tensor_file.h"

namespace ringscope {

namespace {

// CRC-32 as zip has it, bit by bit: not the library that the reader uses.
std::uint32_t crc_of(std::string_view data) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : data) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

// A deflate stream of stored blocks.
std::string deflate(std::string_view data) {
  constexpr std::size_t longest = 65535;
  std::string out;
  do {
    const std::string_view block = data.substr(0, longest);
    data.remove_prefix(block.size());
    out += data.empty() ? '\1' : '\0';
    out += little_endian(block.size(), 2) + little_endian(~block.size(), 2);
    out += block;
  } while (!data.empty());
  return out;
}

}  // namespace

std::span<const std::byte> bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string little_endian(std::uint64_t number, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(number >> 8 * i & 0xFF);
  return bytes;
}

std::string safetensors_of(std::string_view header, std::string_view data) {
  return little_endian(header.size(), 8).append(header).append(data);
}

std::string zip_of(const std::vector<ZipPart>& parts) {
  std::string file, directory;
  for (const ZipPart& part : parts) {
    const std::string packed = part.deflated ? deflate(part.data) : part.data;
    std::string facts = little_endian(20, 2) + little_endian(0, 2);  // version, flags
    facts += little_endian(part.deflated ? 8 : 0, 2) + little_endian(0, 4);
    facts += little_endian(crc_of(part.data), 4) + little_endian(packed.size(), 4);
    facts += little_endian(part.data.size(), 4) + little_endian(part.name.size(), 2) + little_endian(0, 2);
    directory += "PK\1\2" + little_endian(20, 2) + facts + std::string(10, '\0') + little_endian(file.size(), 4);
    directory += part.name;
    file += "PK\3\4" + facts + part.name + packed;
  }
  std::string end = "PK\5\6" + little_endian(0, 4) + little_endian(parts.size(), 2) + little_endian(parts.size(), 2);
  end += little_endian(directory.size(), 4) + little_endian(file.size(), 4) + little_endian(0, 2);
  return file + directory + end;
}

std::string npy_of(std::string_view dict, std::string_view data) {
  std::string header(dict);
  header.resize((10 + header.size() + 64) / 64 * 64 - 10, ' ');
  header.back() = '\n';
  return std::string("\x93NUMPY\1\0", 8).append(little_endian(header.size(), 2)).append(header).append(data);
}

}  // namespace ringscope
