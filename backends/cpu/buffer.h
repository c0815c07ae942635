// The memory of one (tensor, block, head): handed from rank to rank without a copy.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

namespace ringscope::cpu {

// Accumulators have one owner and are written in place; everything else is written once, then shared and only read.
template <class Real>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::int64_t size)
      : values_(std::make_shared_for_overwrite<Real[]>(static_cast<std::size_t>(size))), size_(size) {}

  explicit operator bool() const { return values_ != nullptr; }
  Real* data() const { return values_.get(); }
  std::int64_t size() const { return size_; }
  std::span<Real> values() const { return {data(), static_cast<std::size_t>(size_)}; }
  Buffer copy() const {
    Buffer other(size_);
    std::ranges::copy(values(), other.data());
    return other;
  }

 private:
  std::shared_ptr<Real[]> values_;
  std::int64_t size_ = 0;
};

}  // namespace ringscope::cpu
