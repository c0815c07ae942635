// Memory for an array that somebody else's code is given: its last row ends at a page nobody may touch, another such
// page lies before it, and every byte around its elements holds a canary.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace ringscope::cpu {

// Rows of `row_bytes`, each at a multiple of 64 bytes.
struct Extent {
  std::int64_t rows = 0, row_bytes = 0;

  std::int64_t stride_bytes() const { return (row_bytes + 63) / 64 * 64; }
  std::int64_t bytes() const { return rows * row_bytes; }  // of the elements alone
};

enum class Access : std::uint8_t { read, read_and_write };

class Guarded {
 public:
  Guarded() = default;
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  // Takes elements without gaps, row after row. Throws std::bad_alloc.
  void fill(const Extent& extent, std::span<const std::byte> elements);
  void allow(Access access);
  void copy_to(std::span<std::byte> elements) const;
  std::byte* data() const { return data_; }

  // Bytes from data() to the first canary that was written over; negative before the array, none: all is well.
  struct Spoiled {
    bool yes = false;
    std::int64_t offset = 0;
  };
  Spoiled spoiled() const;
  // Whether an address lies in the array's pages or its guards.
  bool holds(const void* address) const;

 private:
  void reserve(std::int64_t bytes);

  std::byte* map_ = nullptr;   // guard, pages, guard
  std::byte* data_ = nullptr;  // ends where the upper guard begins
  std::int64_t map_bytes_ = 0;
  Extent extent_;
};

}  // namespace ringscope::cpu
