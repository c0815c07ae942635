// What the tests of threaded ranks share: plans and inputs from a case line, runs, and how far outputs differ.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/cpu_backend.h"
#include "core/case.h"
#include "core/error.h"
#include "core/execute.h"
#include "core/oracle.h"

namespace ringscope::cpu {

inline constexpr std::array output_tensors = {&Outputs::o, &Outputs::lse, &Outputs::dq, &Outputs::dk, &Outputs::dv};

inline Plan plan_of(std::string_view line) {
  const Case c = parse_case(line);
  return make_plan(c.problem, c.recipe);
}

inline Inputs random_inputs(const Problem& problem) {
  return make_inputs(problem, Fill::random, 7);
}

// One case line per schedule, backward style and number of ranks that the problem (written with or without bwd) allows.
inline std::vector<std::string> lines_of_every_schedule(const std::string& problem, const std::string& layout,
                                                        const std::vector<int>& rank_counts) {
  std::vector<std::string> lines;
  for (const ScheduleKind& kind : schedule_kinds()) {
    for (const int n : rank_counts) {
      std::vector<std::string> ranks;
      if (!kind.needs_grid) ranks = {"r" + std::to_string(n)};
      for (int inner = 1; kind.needs_grid && inner <= n; ++inner) {
        if (n % inner == 0) ranks.push_back("r" + std::to_string(n / inner) + "x" + std::to_string(inner));
      }
      for (const std::string& r : ranks) {
        const std::string recipe =
            layout + " " + std::string(kind.name) + " " + r + (kind.can_copy_kv ? " kv-copies" : "");
        if (kind.styles.empty()) lines.push_back(problem + " fwd | " + recipe);
        for (const BackwardStyle style : kind.styles) {
          lines.push_back(problem + " | " + recipe + " backward=" + std::string(name_of(style)));
        }
      }
    }
  }
  std::erase_if(lines, [](const std::string& line) {
    try {
      parse_case(line);
      return false;
    } catch (const Error&) {  // more Ulysses members than heads, say
      return true;
    }
  });
  return lines;
}

inline const KernelKind& naive() {
  return *std::ranges::find(kernel_kinds(), "naive", &KernelKind::name);
}

inline RunResult run(const Plan& plan, const Inputs& inputs, const CpuOptions& options = {},
                     const RunOptions& how = {}) {
  CpuBackend backend(naive(), options);
  return execute(backend, plan, inputs, how);
}

// The largest |got - want| / magnitude; infinite where a NaN or an infinity stands on one side alone.
inline double largest_error(const Outputs& got, const Outputs& want, const Outputs& magnitude) {
  double largest = 0;
  for (const auto tensor : output_tensors) {
    const auto& [x, ref, size] = std::array{&(got.*tensor).values, &(want.*tensor).values, &(magnitude.*tensor).values};
    if (x->size() != ref->size()) return INFINITY;
    for (std::size_t i = 0; i < x->size(); ++i) {
      if ((*x)[i] == (*ref)[i]) continue;
      const double error = std::abs((*x)[i] - (*ref)[i]) / (*size)[i];
      largest = std::isnan(error) ? INFINITY : std::max(largest, error);
    }
  }
  return largest;
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, {}, std::bit_cast<std::uint64_t, double>, std::bit_cast<std::uint64_t, double>);
}

inline bool same_bits(const Outputs& a, const Outputs& b) {
  return same_bits(a.d_sink, b.d_sink) && std::ranges::all_of(output_tensors, [&](auto tensor) {
           return same_bits((a.*tensor).values, (b.*tensor).values);
         });
}

}  // namespace ringscope::cpu
