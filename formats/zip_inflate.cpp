#include <zlib.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "formats/zip_file.h"

namespace ringscope {

namespace {

// zlib counts in 32 bits.
uInt at_most_32_bits(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

const Bytef* bytef(Bytes bytes) {
  return reinterpret_cast<const Bytef*>(bytes.data());
}

class Inflater {
 public:
  Inflater() {
    constexpr int without_header = -MAX_WBITS;
    ensure(inflateInit2(&stream_, without_header) == Z_OK, "zlib starts");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Unpacks until the stream ends, `out` is full or the input is used up; moves both behind what was used.
  bool ended_after(Bytes& in, std::span<std::byte>& out) {
    int status = Z_OK;
    while (status == Z_OK && !out.empty()) {
      stream_.next_in = const_cast<Bytef*>(bytef(in));
      stream_.avail_in = at_most_32_bits(in.size());
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = at_most_32_bits(out.size());
      const uInt offered_in = stream_.avail_in, offered_out = stream_.avail_out;
      status = ::inflate(&stream_, Z_NO_FLUSH);
      in = in.subspan(offered_in - stream_.avail_in);
      out = out.subspan(offered_out - stream_.avail_out);
    }
    return status == Z_STREAM_END;
  }

 private:
  z_stream stream_ = {};
};

}  // namespace

std::vector<std::byte> inflate(const ZipEntry& entry, const FilePlace& place) {
  std::vector<std::byte> unpacked(static_cast<std::size_t>(entry.size) + 1);  // one more: so that too much is seen
  Bytes in = entry.packed;
  std::span<std::byte> out = unpacked;
  Inflater inflater;
  const bool ended = inflater.ended_after(in, out);
  const std::string wanted = std::to_string(entry.size) + " bytes, as the directory says";
  if (out.empty()) place.refuse("more than " + wanted, "no more");
  if (!ended) place.refuse("a broken deflate stream", "data that zlib can unpack", "copy or save the file again");
  if (out.size() != 1) place.refuse(std::to_string(unpacked.size() - out.size()) + " bytes unpacked", wanted);
  if (!in.empty()) place.refuse(std::to_string(in.size()) + " bytes behind the deflate stream", "none");
  unpacked.pop_back();
  require_crc(entry, unpacked, place);
  return unpacked;
}

void require_crc(const ZipEntry& entry, Bytes unpacked, const FilePlace& place) {
  const uLong crc = ::crc32_z(0, bytef(unpacked), unpacked.size());
  if (crc != entry.crc)
    place.refuse("bytes that do not have their CRC", "the bytes that were saved", "copy or save the file again");
}

}  // namespace ringscope
