#include "core/nearest.h"

#include <algorithm>
#include <vector>

namespace ringscope {

int edits_between(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

namespace {

// A word that shares less with the right one was not a slip of the fingers.
bool is_close(int edits, std::string_view word, std::string_view right) {
  const std::size_t letters = std::max(word.size(), right.size());
  return (edits <= 1 && letters >= 2) || 3 * static_cast<std::size_t>(edits) <= letters;
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> allowed) {
  // A typed beginning of a word is meant more often than its edits say.
  const auto cost = [&](std::string_view right) {
    const bool begun = word.size() >= 2 && right.starts_with(word);
    return begun ? 1 : edits_between(word, right);
  };
  const auto best = std::min_element(allowed.begin(), allowed.end(),
                                     [&](std::string_view a, std::string_view b) { return cost(a) < cost(b); });
  return best == allowed.end() || !is_close(cost(*best), word, *best) ? std::string_view{} : *best;
}

std::string nearest_sentence(std::string_view word, std::span<const std::string_view> allowed) {
  const std::string_view near = nearest(word, allowed);
  return near.empty() ? std::string() : "the nearest right word is `" + std::string(near) + "`";
}

std::string any_of(std::span<const std::string_view> allowed) {
  std::string out;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (i > 0) out += i + 1 == allowed.size() ? " or " : ", ";
    out += "`" + std::string(allowed[i]) + "`";
  }
  return out;
}

}  // namespace ringscope
