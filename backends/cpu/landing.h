// What happens to rows besides attends, shared by all kernels: merge, add, Finish, delta. Rows are [B * rows].
#pragma once
#include <cstdint>
#include <optional>

#include "core/element_type.h"

namespace ringscope::cpu {

// into = merge(into, from); both m [rows], l [rows], O [rows, Dv]. An empty State is the identity.
template <class Real>
void merge_state(Real* into, const Real* from, std::int64_t rows, std::int64_t dim_v);

// into += from, element by element.
template <class Real>
void add_to(Real* into, const Real* from, std::int64_t size);

// State -> O [rows, Dv] rounded to the storage type, LSE [rows]. The sink logit enters here. Rows without keys: O = 0
// and LSE = -inf, or the sink logit.
template <class Real>
void finish_state(const Real* state, std::int64_t rows, std::int64_t dim_v, std::optional<Real> sink_logit,
                  ElementType output, Real* out);

// Stats = LSE [rows], delta [rows] = rowsum(dO * O), from out = O [rows, Dv], LSE [rows].
template <class Real>
void finish_stats(const Real* out, const Real* d_o, std::int64_t rows, std::int64_t dim_v, Real* stats);

// -sum over rows of exp(sink - LSE) delta: one head's share of the sink logit's gradient. Rows ascending.
template <class Real>
Real sink_gradient(const Real* stats, std::int64_t rows, Real sink_logit);

}  // namespace ringscope::cpu
