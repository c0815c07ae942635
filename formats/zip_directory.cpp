#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "formats/utf8.h"
#include "formats/zip_file.h"

namespace ringscope {

namespace {

constexpr std::uint32_t local_mark = 0x04034b50, entry_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::uint32_t end64_mark = 0x06064b50, locator64_mark = 0x07064b50;
constexpr std::uint64_t end_size = 22, locator64_size = 20, end64_size = 56, local_size = 30;
constexpr std::uint16_t extra64 = 0x0001, stored = 0, deflated = 8;
constexpr std::uint64_t in_extra64 = 0xFFFFFFFF;  // a 32-bit field whose number stands in a zip64 field

// Flag bits: encryption of three kinds, patches; sizes and CRC behind the data.
constexpr std::uint16_t encrypted_flags = 1U << 0 | 1U << 6 | 1U << 13, patched_flag = 1U << 5,
                        sizes_behind_flag = 1U << 3;

// An entry costs a few times its directory record in memory: this is what bounds it.
constexpr std::uint64_t most_entries = 1U << 18;

constexpr std::string_view whole_file = "the file may be cut short: copy or save it again";

struct Directory {
  std::uint64_t entries = 0, begin = 0, size = 0, end = 0;
};

// The end record is the last thing in the file but for its comment.
std::uint64_t find_end(Bytes file, const FilePlace& place) {
  constexpr std::uint64_t longest_comment = 0xFFFF;
  const std::uint64_t last = file.size() < end_size ? 0 : file.size() - end_size;
  const std::uint64_t first = last < longest_comment ? 0 : last - longest_comment;
  for (std::uint64_t at = last + 1; at-- > first;) {
    const std::optional<Bytes> record = part_of(file, at, end_size);
    if (!record || number_in(record->first(4)) != end_mark) continue;
    if (at + end_size + number_in(record->subspan(20, 2)) == file.size()) return at;
  }
  place.refuse("a zip file without its directory at the end", "a whole npz file", whole_file);
}

// Zip64's numbers, where its locator stands right before the end record.
std::optional<Directory> read_end64(Bytes file, std::uint64_t end, const FilePlace& place) {
  constexpr std::string_view wanted = "a zip64 end record right before its locator";
  const FilePlace here = place.at("zip64 directory");
  ByteReader locator(part_of(file, end - locator64_size, locator64_size).value_or(Bytes{}));
  if (locator.u32() != locator64_mark) return std::nullopt;
  const std::uint32_t disk = locator.u32();
  const std::uint64_t at = locator.u64();
  const std::uint32_t disks = locator.u32();
  ByteReader record(part_of(file, at, end64_size).value_or(Bytes{}));
  const std::uint32_t mark = record.u32();
  const std::uint64_t rest = record.u64();
  if (mark != end64_mark || rest != end64_size - 12 || at != end - locator64_size - end64_size) {
    here.refuse("none at byte " + std::to_string(at), wanted);
  }
  record.take(4);  // versions
  const std::uint32_t this_disk = record.u32(), directory_disk = record.u32();
  const std::uint64_t here_entries = record.u64();
  Directory directory;
  directory.entries = record.u64();
  directory.size = record.u64();
  directory.begin = record.u64();
  directory.end = at;
  if (disk != 0 || disks > 1 || this_disk != 0 || directory_disk != 0 || here_entries != directory.entries) {
    here.refuse("parts on several disks", "one file");
  }
  return directory;
}

Directory read_end(Bytes file, const FilePlace& place) {
  const std::uint64_t end = find_end(file, place);
  const FilePlace here = place.at("zip directory");
  ByteReader record(file.subspan(end + 4));
  const std::uint16_t disk = record.u16(), directory_disk = record.u16(), here_entries = record.u16();
  const std::uint16_t entries = record.u16();
  const std::uint32_t size = record.u32(), begin = record.u32();
  if (disk != 0 || directory_disk != 0 || here_entries != entries) here.refuse("parts on several disks", "one file");
  const std::optional<Directory> wide = read_end64(file, end, place);
  const Directory directory = wide.value_or(Directory{entries, begin, size, end});
  const auto agrees = [](std::uint64_t narrow, std::uint64_t all_ones, std::uint64_t number) {
    return narrow == number || narrow == all_ones;  // Python writes zip64 from 2 GiB on, where 32 bits still do
  };
  if (!agrees(entries, 0xFFFF, directory.entries) || !agrees(size, in_extra64, directory.size) ||
      !agrees(begin, in_extra64, directory.begin)) {
    here.refuse("other numbers than in zip64's end record", "the same");
  }
  // Not <: bytes before the directory that the offsets do not count would move every entry.
  if (directory.begin > directory.end || directory.size != directory.end - directory.begin) {
    here.refuse(std::to_string(directory.size) + " bytes from byte " + std::to_string(directory.begin),
                "an end at byte " + std::to_string(directory.end), whole_file);
  }
  return directory;
}

// The fields that are all ones in the record, in the order of the format, from the zip64 extra field.
bool widen_fields(Bytes extra, std::initializer_list<std::uint64_t*> fields) {
  std::optional<Bytes> wide;
  ByteReader reader(extra);
  while (!reader.rest().empty()) {
    const std::uint16_t id = reader.u16();
    const Bytes body = reader.take(reader.u16());
    if (reader.ended()) return false;
    if (id != extra64) continue;
    if (wide) return false;
    wide = body;
  }
  ByteReader numbers(wide.value_or(Bytes{}));
  for (std::uint64_t* const field : fields) {
    if (*field == in_extra64) *field = numbers.u64();
  }
  return !numbers.ended();
}

void require_harmless(std::string_view name, const FilePlace& place) {
  constexpr std::string_view wanted = "a plain name in UTF-8, such as q.npy";
  if (name.empty() || !is_utf8(name)) place.refuse("a name that is empty or no UTF-8", wanted);
  if (name.find('\0') != name.npos || name.find('\\') != name.npos || name.front() == '/' || name.back() == '/') {
    place.refuse("a path as name", wanted);
  }
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t slash = std::min(name.find('/', at), name.size());
    if (name.substr(at, slash - at) == "..") place.refuse("a path as name", wanted);
    at = slash + 1;
  }
}

struct Found {
  ZipEntry entry;
  std::uint64_t local = 0, packed_size = 0;
  std::uint16_t flags = 0, method = 0;
  std::uint64_t end = 0;  // of its data
};

std::string entry_place(std::string_view name) {
  return "entry " + quoted_name(name);
}

Found read_entry(ByteReader& directory, const FilePlace& file) {
  Found found;
  ZipEntry& entry = found.entry;
  const std::uint32_t mark = directory.u32();
  if (directory.ended() || mark != entry_mark) {
    file.at("zip directory").refuse("another record than it counts", "one record per entry", whole_file);
  }
  directory.take(4);  // versions
  found.flags = directory.u16();
  found.method = directory.u16();
  directory.take(4);  // time, date
  entry.crc = directory.u32();
  found.packed_size = directory.u32();
  entry.size = directory.u32();
  const std::uint16_t name_size = directory.u16(), extra_size = directory.u16(), comment_size = directory.u16();
  const std::uint16_t disk = directory.u16();
  directory.take(6);  // attributes
  found.local = directory.u32();
  entry.name = text_in(directory.take(name_size));
  const Bytes extra = directory.take(extra_size);
  directory.take(comment_size);
  const FilePlace place = file.at(entry_place(entry.name));
  if (directory.ended()) place.refuse("a record beyond the directory", "one inside it", whole_file);
  require_harmless(entry.name, place);
  if (disk != 0) place.refuse("a part on another disk", "one file");
  if (!widen_fields(extra, {&entry.size, &found.packed_size, &found.local})) {
    place.refuse("a broken extra field", "the 64-bit sizes there", whole_file);
  }
  if ((found.flags & encrypted_flags) != 0) place.refuse("encrypted", "plain data", "save it without a password");
  if ((found.flags & patched_flag) != 0) place.refuse("a patch of another file", "plain data");
  if (found.method != stored && found.method != deflated) {
    place.refuse("compression method " + std::to_string(found.method), "stored or deflated", "save with np.savez");
  }
  entry.deflated = found.method == deflated;
  if (!entry.deflated && found.packed_size != entry.size) {
    place.refuse("stored, " + std::to_string(entry.size) + " bytes in " + std::to_string(found.packed_size),
                 "the same");
  }
  return found;
}

// The local record says the same as the directory, and the data lies before the directory.
void locate(Found& found, Bytes file, std::uint64_t directory_begin, const FilePlace& whole) {
  ZipEntry& entry = found.entry;
  const FilePlace place = whole.at(entry_place(entry.name));
  const Bytes before = file.first(static_cast<std::size_t>(directory_begin));
  const std::optional<Bytes> record = part_of(before, found.local, local_size);
  ByteReader local(record.value_or(Bytes{}));
  if (local.u32() != local_mark)
    place.refuse("no record at byte " + std::to_string(found.local), "one there", whole_file);
  constexpr std::string_view same = "what the directory says";
  local.take(2);  // version
  const std::uint16_t flags = local.u16(), method = local.u16();
  local.take(4);  // time, date
  const std::uint32_t crc = local.u32();
  std::uint64_t packed_size = local.u32(), size = local.u32();
  const std::uint16_t name_size = local.u16(), extra_size = local.u16();
  ByteReader behind(before.subspan(static_cast<std::size_t>(found.local + local_size)));
  const std::string_view name = text_in(behind.take(name_size));
  const Bytes extra = behind.take(extra_size);
  const Bytes packed = behind.take(found.packed_size);
  if (behind.ended()) place.refuse("data beyond the directory's begin", "data before it", whole_file);
  if (name != entry.name) place.refuse("another name at the data, " + quoted_name(name), same);
  if (flags != found.flags || method != found.method) place.refuse("another method at the data", same);
  if ((flags & sizes_behind_flag) == 0) {
    if (!widen_fields(extra, {&size, &packed_size})) place.refuse("a broken extra field at the data", same);
    if (size != entry.size || packed_size != found.packed_size) place.refuse("another size at the data", same);
    if (crc != entry.crc) place.refuse("another CRC at the data", same);
  }
  entry.packed = packed;
  found.end = found.local + local_size + name_size + extra_size + found.packed_size;
}

void require_apart(std::vector<Found>& all, const FilePlace& file) {
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) { return a.local < b.local; });
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].local >= all[i - 1].end) continue;
    file.at(entry_place(all[i].entry.name))
        .refuse("bytes of " + quoted_name(all[i - 1].entry.name) + " too", "its own bytes");
  }
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(Bytes file, const FilePlace& place) {
  const Directory directory = read_end(file, place);
  if (directory.entries > most_entries) {
    place.at("zip directory")
        .refuse(std::to_string(directory.entries) + " entries", "at most " + std::to_string(most_entries));
  }
  ByteReader records(*part_of(file, directory.begin, directory.size));
  std::vector<Found> all;
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    Found found = read_entry(records, place);
    if (!names.insert(found.entry.name).second) {
      place.at(entry_place(found.entry.name)).refuse("the name twice", "each once");
    }
    locate(found, file, directory.begin, place);
    all.push_back(std::move(found));
  }
  if (!records.rest().empty()) place.at("zip directory").refuse("more records than it counts", "one record per entry");
  require_apart(all, place);
  std::vector<ZipEntry> entries;
  entries.reserve(all.size());
  for (Found& found : all) entries.push_back(std::move(found.entry));
  return entries;
}

}  // namespace ringscope
