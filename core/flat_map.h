// Whole numbers to small values, open addressing: the proof looks up tens of millions of them.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ringscope {

// Keys are below 2^64 - 1. Pointers last until the next insertion or erasure.
template <class Value>
class FlatMap {
 public:
  Value* find(std::uint64_t key) {
    if (entries_.empty()) return nullptr;
    Entry& e = entries_[place_of(key)];
    return e.tag == 0 ? nullptr : &e.value;
  }
  // Finds the value, or makes a default one.
  Value& operator[](std::uint64_t key) {
    if (entries_.size() < 2 * (size_ + 1)) grow();
    Entry& e = entries_[place_of(key)];
    if (e.tag == 0) {
      e = {key + 1, Value{}};
      ++size_;
    }
    return e.value;
  }
  void erase(std::uint64_t key) {
    if (entries_.empty()) return;
    std::size_t hole = place_of(key);
    if (entries_[hole].tag == 0) return;
    --size_;
    // Later entries of the same run move back into the hole, so that no tombstones are needed.
    for (std::size_t i = next(hole); entries_[i].tag != 0; i = next(i)) {
      const std::size_t wanted = first_place(entries_[i].tag - 1);
      if (((i - wanted) & mask()) < ((i - hole) & mask())) continue;
      entries_[hole] = entries_[i];
      hole = i;
    }
    entries_[hole].tag = 0;
  }
  std::size_t size() const { return size_; }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Entry& e : entries_) {
      if (e.tag != 0) visit(e.tag - 1, e.value);
    }
  }

 private:
  struct Entry {
    std::uint64_t tag = 0;  // key + 1; 0 is empty
    Value value{};
  };

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
  std::size_t first_place(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32) & mask();
  }
  std::size_t place_of(std::uint64_t key) const {
    std::size_t i = first_place(key);
    while (entries_[i].tag != 0 && entries_[i].tag != key + 1) i = next(i);
    return i;
  }
  void grow() {
    std::vector<Entry> old(entries_.empty() ? 8 : 2 * entries_.size());
    old.swap(entries_);
    for (Entry& e : old) {
      if (e.tag != 0) entries_[place_of(e.tag - 1)] = std::move(e);
    }
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace ringscope
