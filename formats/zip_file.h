// The entries of a zip file in memory, each found and checked before any is read.
// Source: PKWARE APPNOTE.TXT 6.3.9, sections 4.3 to 4.5.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "formats/byte_reader.h"
#include "formats/file_place.h"

namespace ringscope {

struct ZipEntry {
  std::string name;  // UTF-8, no path that leads out of a folder
  bool deflated = false;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;  // unpacked; what is stored has as many bytes
  Bytes packed;
};

// Throws Error(bad_file): several disks, encryption, methods other than stored and deflated, a directory that does not
// agree with the entries, entries that overlap, names that come twice or lead out of a folder.
std::vector<ZipEntry> read_zip_directory(Bytes file, const FilePlace& place);

// An entry's bytes, unpacked and summed up; at most entry.size bytes of memory are taken.
std::vector<std::byte> inflate(const ZipEntry& entry, const FilePlace& place);
void require_crc(const ZipEntry& entry, Bytes unpacked, const FilePlace& place);

}  // namespace ringscope
