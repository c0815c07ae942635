// Files made in memory, right ones and slightly wrong ones.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringscope {

std::span<const std::byte> bytes_of_text(std::string_view text);
std::string little_endian(std::uint64_t number, int size);

// Length, header, data.
std::string safetensors_of(std::string_view header, std::string_view data);

struct ZipPart {
  std::string name, data;
  bool deflated = false;
};
std::string zip_of(const std::vector<ZipPart>& parts);
// One array, format version 1.0; `dict` without its padding.
std::string npy_of(std::string_view dict, std::string_view data);

}  // namespace ringscope
