// What a gradient of a KV head is rounded at when the query heads of its group are added one after another in 16 bit
// (docs/numerics.md, "A group that is added head by head").
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace ringscope {

template <class Real>
class GroupRoundings {
 public:
  explicit GroupRoundings(std::size_t size)
      : sum_(size), squares_of_terms_(size), sums_(size), squares_of_sums_(size) {}

  // The sum over the query heads so far, after each of them.
  void note(std::span<const Real> sum) {
    for (std::size_t n = 0; n < sum_.size(); ++n) {
      const double now = static_cast<double>(sum[n]), before = sum_[n];
      if (heads_ > 0) {
        squares_of_terms_[n] += (now - before) * (now - before);
        sums_[n] += before, squares_of_sums_[n] += before * before;
      }
      sum_[n] = now;
    }
    ++heads_;
  }

  // Element by element the root of the sum of squares of what is rounded beside the whole: each head's own share, and
  // the sums on the way from the first head to the last or back, whichever are larger.
  std::vector<Real> rounded() const {
    std::vector<Real> out(sum_.size());
    for (std::size_t n = 0; n < out.size(); ++n) {
      const double all = sum_[n], ways = static_cast<double>(heads_ - 1);
      const double back = ways * all * all - 2 * all * sums_[n] + squares_of_sums_[n];
      out[n] = static_cast<Real>(std::sqrt(squares_of_terms_[n] + std::max(squares_of_sums_[n], back)));
    }
    return out;
  }

 private:
  std::int64_t heads_ = 0;
  std::vector<double> sum_, squares_of_terms_, sums_, squares_of_sums_;
};

}  // namespace ringscope
