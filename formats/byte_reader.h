// Little-endian numbers out of bytes that may end too soon.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ringscope {

using Bytes = std::span<const std::byte>;

// `size` bytes from `begin`, or nothing where they do not all exist; no sum of the two is formed.
inline std::optional<Bytes> part_of(Bytes bytes, std::uint64_t begin, std::uint64_t size) {
  if (begin > bytes.size() || size > bytes.size() - begin) return std::nullopt;
  return bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
}

inline std::string_view text_in(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An unsigned number of all the bytes, at most 8.
inline std::uint64_t number_in(Bytes bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return number;
}

// Takes fields one by one; after the end all fields are 0 and `ended` says so, so that it is asked once, at the end.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : rest_(bytes) {}

  Bytes take(std::uint64_t size) {
    const std::optional<Bytes> part = part_of(rest_, 0, size);
    ended_ = ended_ || !part;
    if (ended_) return {};
    rest_ = rest_.subspan(part->size());
    return *part;
  }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number_in(take(2))); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number_in(take(4))); }
  std::uint64_t u64() { return number_in(take(8)); }

  bool ended() const { return ended_; }  // something was taken that is not there
  Bytes rest() const { return rest_; }

 private:
  Bytes rest_;
  bool ended_ = false;
};

}  // namespace ringscope
