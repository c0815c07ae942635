#include "core/ulps.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ringscope {

namespace {

// Bit patterns of positive values rise with the values; negative ones are mirrored.
std::int64_t place_on_line(ElementType type, double value) {
  const auto magnitude = static_cast<std::int64_t>(encode(type, std::abs(value)));
  return std::signbit(value) ? -magnitude : magnitude;
}

std::size_t bin_of(std::int64_t ulps) {
  constexpr std::array<std::int64_t, 6> most{0, 1, 2, 4, 8, 64};
  return static_cast<std::size_t>(std::lower_bound(most.begin(), most.end(), ulps) - most.begin());
}

Place place_of(const Shape& shape, Output output, std::size_t element) {
  Place place{.check = "bits", .output = output};
  const auto row = static_cast<std::int64_t>(element) / shape.dim;
  place.row = row % shape.rows;
  place.head = row / shape.rows % shape.heads;
  place.batch = row / shape.rows / shape.heads;
  return place;
}

// -0 and 0 are different bits at distance 0.
bool same_bits_of(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace

std::int64_t ulps_between(ElementType type, double a, double b) {
  const std::int64_t x = place_on_line(type, a), y = place_on_line(type, b);
  const auto distance = static_cast<std::uint64_t>(std::max(x, y)) - static_cast<std::uint64_t>(std::min(x, y));
  return static_cast<std::int64_t>(std::min<std::uint64_t>(distance, INT64_MAX));
}

Agreement agreement(const Problem& problem, const Outputs& a, const Outputs& b) {
  Agreement result;
  const ElementType compute = problem.type == ElementType::f64 ? ElementType::f64 : ElementType::f32;
  constexpr std::array<Tensor Outputs::*, output_kinds> fields{&Outputs::o, &Outputs::lse, &Outputs::dq, &Outputs::dk,
                                                               &Outputs::dv};
  for (std::size_t n = 0; n < fields.size(); ++n) {
    const Tensor &x = a.*fields[n], &y = b.*fields[n];
    const Output output = static_cast<Output>(n);
    const ElementType type = output == Output::lse ? compute : output_type(problem.type);
    UlpHistogram& histogram = result.outputs[n];
    histogram.present = !x.empty() && x.values.size() == y.values.size();
    for (std::size_t i = 0; histogram.present && i < x.values.size(); ++i) {
      const double v = x.values[i], w = y.values[i];
      if (!same_bits_of(v, w) && !result.first_unlike) result.first_unlike = place_of(x.shape, output, i);
      if (std::isnan(v) || std::isnan(w)) {
        ++histogram.count[std::isnan(v) && std::isnan(w) ? 0 : ulp_bins.size() - 1];
        continue;
      }
      const std::int64_t ulps = ulps_between(type, v, w);
      histogram.most = std::max(histogram.most, ulps);
      ++histogram.count[bin_of(ulps)];
    }
  }
  return result;
}

}  // namespace ringscope
