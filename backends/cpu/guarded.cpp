#include "backends/cpu/guarded.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace ringscope::cpu {

namespace {

// As a float, a double or an index nobody wants: NaN or -1.
constexpr std::byte canary{0xff};

std::int64_t page_bytes() {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

}  // namespace

Guarded::~Guarded() {
  if (map_ != nullptr) munmap(map_, static_cast<std::size_t>(map_bytes_));
}

void Guarded::reserve(std::int64_t bytes) {
  const std::int64_t page = page_bytes();
  const std::int64_t inner = std::max<std::int64_t>(1, (bytes + page - 1) / page) * page, whole = inner + 2 * page;
  if (whole != map_bytes_) {
    if (map_ != nullptr) munmap(map_, static_cast<std::size_t>(map_bytes_));
    map_ = nullptr;
    void* map =
        mmap(nullptr, static_cast<std::size_t>(whole), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    map_ = static_cast<std::byte*>(map);
    map_bytes_ = whole;
  }
  allow(Access::read_and_write);
  data_ = map_ + page + inner - bytes;
}

void Guarded::allow(Access access) {
  const std::int64_t page = page_bytes();
  const int protection = access == Access::read ? PROT_READ : PROT_READ | PROT_WRITE;
  if (mprotect(map_ + page, static_cast<std::size_t>(map_bytes_ - 2 * page), protection) != 0) throw std::bad_alloc();
}

void Guarded::fill(const Extent& extent, std::span<const std::byte> elements) {
  reserve(extent.rows * extent.stride_bytes());
  extent_ = extent;
  std::fill(map_ + page_bytes(), map_ + map_bytes_ - page_bytes(), canary);
  const auto row_bytes = static_cast<std::size_t>(extent.row_bytes);
  for (std::int64_t r = 0; r < extent.rows && row_bytes > 0; ++r) {
    std::memcpy(data_ + r * extent.stride_bytes(), elements.data() + static_cast<std::size_t>(r) * row_bytes,
                row_bytes);
  }
}

void Guarded::copy_to(std::span<std::byte> elements) const {
  const auto row_bytes = static_cast<std::size_t>(extent_.row_bytes);
  for (std::int64_t r = 0; r < extent_.rows && row_bytes > 0; ++r) {
    std::memcpy(elements.data() + static_cast<std::size_t>(r) * row_bytes, data_ + r * extent_.stride_bytes(),
                row_bytes);
  }
}

Guarded::Spoiled Guarded::spoiled() const {
  const auto first_in = [this](const std::byte* begin, const std::byte* end) -> Spoiled {
    const std::byte* wrong = std::find_if(begin, end, [](std::byte b) { return b != canary; });
    return wrong == end ? Spoiled{} : Spoiled{true, wrong - data_};
  };
  if (const Spoiled before = first_in(map_ + page_bytes(), data_); before.yes) return before;
  for (std::int64_t r = 0; r < extent_.rows; ++r) {
    const std::byte* row = data_ + r * extent_.stride_bytes();
    if (const Spoiled gap = first_in(row + extent_.row_bytes, row + extent_.stride_bytes()); gap.yes) return gap;
  }
  return {};
}

bool Guarded::holds(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  return map_ != nullptr && byte >= map_ && byte < map_ + map_bytes_;
}

}  // namespace ringscope::cpu
