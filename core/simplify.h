// One step from a case to a simpler one: what shrinking tries.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/case.h"

namespace ringscope {

// Simpler: fewer ranks, shorter lengths, smaller dims, one batch item, fewer heads, fewer words, an earlier kind in its
// registry, a lower seed. Every candidate takes something away and adds nothing (but that another seed may be drawn for
// fewer ranks), so that no chain of steps goes on for ever. The boldest candidate comes first; not all need be valid.
using Simplification = std::vector<Case> (*)(const Case& c);
// What helps a reader most comes first.
std::span<const Simplification> simplifications();

// One file per half of the case line hands in its own.
std::vector<Simplification> recipe_simplifications();
std::vector<Simplification> problem_simplifications();

// What one step can make of a case: canonical, valid, none of them the case itself.
std::vector<Case> simpler_cases(const Case& c, Simplification simplification);
std::vector<Case> simpler_cases(const Case& c);

// The numbers from `low` to below `n` that a search tries, `low` first, then ever nearer to n; all where they are few.
std::vector<std::int64_t> numbers_below(std::int64_t n, std::int64_t low);
// One candidate per number: `c` with that number set.
std::vector<Case> with_each(const Case& c, const std::vector<std::int64_t>& numbers,
                            const std::function<void(Case&, std::int64_t)>& set);

}  // namespace ringscope
