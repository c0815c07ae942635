// Masks that are shifted, aligned or cut otherwise.
#include <utility>

#include "core/diagnosis/hypothesis.h"
#include "core/diagnosis/what_if.h"

namespace ringscope {

namespace {

void offer_mask(const Evidence& e, const Mask& mask, std::string detail, const Offer& offer) {
  Problem wrong = e.problem;
  if (mask == wrong.mask) return;
  wrong.mask = mask;
  offer({std::move(detail), what_if(wrong, e.inputs, {})});
}

// The keys of row i seen as if it were row i + shift.
void shift_diagonal(const Evidence& e, std::int64_t shift, const Offer& offer) {
  if (!e.problem.mask.causal && !e.problem.mask.prefix) return;
  Mask mask = e.problem.mask;
  mask.offset = e.problem.mask_rows().key_position(0) + shift;
  if (mask.window && mask.window->left >= 0) mask.window->left += shift;
  offer_mask(e, mask, {}, offer);
}

void realign(const Evidence& e, std::int64_t offset, const Offer& offer) {
  if (e.problem.len_q == e.problem.len_kv || offset == e.problem.mask_rows().key_position(0)) return;
  Mask mask = e.problem.mask;
  mask.offset = offset;
  offer_mask(e, mask, {}, offer);
}

void change_window(const Evidence& e, std::int64_t left, std::int64_t right, const Offer& offer) {
  if (!e.problem.mask.window) return;
  Mask mask = e.problem.mask;
  mask.window = Window{left, right};
  offer_mask(e, mask, "window " + std::to_string(left) + " " + std::to_string(right), offer);
}

void shift_window(const Evidence& e, const Offer& offer) {
  if (!e.problem.mask.window) return;
  const Window w = *e.problem.mask.window;
  for (const std::int64_t by : {-1, 1}) {
    if (w.left > 0 || (w.left == 0 && by > 0)) change_window(e, w.left + by, w.right, offer);
    if (w.right > 0 || (w.right == 0 && by > 0)) change_window(e, w.left, w.right + by, offer);
  }
}

// Where no causal edge is at fault: each row lacks the key at its own position.
void miss_own_key(const Evidence& e, const Offer& offer) {
  if (e.problem.mask.causal || e.problem.mask.prefix) return;
  const MaskRows mask = e.problem.mask_rows();
  Mistake mistake;
  mistake.entries = [&](const RowAt& at, std::vector<Entry>& entries) {
    std::erase_if(entries, [&](const Entry& x) { return x.key == mask.key_position(at.query); });
  };
  offer({{}, what_if(e.problem, e.inputs, mistake)});
}

// Masked keys score -cap instead of -infinity.
void cap_masked_keys(const Evidence& e, const Offer& offer) {
  const double cap = e.problem.terms.softcap;
  if (cap == 0) return;
  const MaskRows mask = e.problem.mask_rows();
  Mistake mistake;
  mistake.entries = [&](const RowAt& at, std::vector<Entry>& entries) {
    const KeyInterval keys = mask.row(at.batch, at.query);
    for (std::int64_t j = 0; j < e.problem.len_kv; ++j) {
      if (!keys.contains(j)) entries.push_back({.key = j, .score = -cap});
    }
  };
  offer({"masked keys score -" + std::to_string(cap), what_if(e.problem, e.inputs, mistake)});
}

}  // namespace

std::vector<Hypothesis> mask_hypotheses() {
  return {
      {"causal_plus_one", "a row sees one key of its future",
       [](const Evidence& e, const Offer& offer) { shift_diagonal(e, 1, offer); }},
      {"strict_causal", "a row does not see its own key",
       [](const Evidence& e, const Offer& offer) { shift_diagonal(e, -1, offer); }},
      {"own_key_missing", "a row does not see its own key, though no causal edge is near it", miss_own_key},
      {"causal_top_left", "the mask is aligned top-left instead of bottom-right",
       [](const Evidence& e, const Offer& offer) { realign(e, 0, offer); }},
      {"causal_bottom_right", "the mask is aligned bottom-right instead of top-left",
       [](const Evidence& e, const Offer& offer) { realign(e, e.problem.len_kv - e.problem.len_q, offer); }},
      {"window_no_left", "the window's left edge is not applied",
       [](const Evidence& e, const Offer& offer) {
         if (e.problem.mask.window) change_window(e, -1, e.problem.mask.window->right, offer);
       }},
      {"window_no_right", "the window's right edge is not applied",
       [](const Evidence& e, const Offer& offer) {
         if (e.problem.mask.window) change_window(e, e.problem.mask.window->left, -1, offer);
       }},
      {"window_off_by_one", "an edge of the window is off by one", shift_window},
      {"mask_ignored", "every query sees every key",
       [](const Evidence& e, const Offer& offer) { offer_mask(e, Mask{}, {}, offer); }},
      {"kv_lengths_ignored", "padded keys are seen",
       [](const Evidence& e, const Offer& offer) {
         Mask mask = e.problem.mask;
         mask.kv_lens.clear();
         offer_mask(e, mask, {}, offer);
       }},
      {"documents_ignored", "queries see keys of other documents",
       [](const Evidence& e, const Offer& offer) {
         if (e.problem.mask.docs.empty()) return;
         Mask mask = e.problem.mask;
         mask.docs.clear();
         offer_mask(e, mask, {}, offer);
       }},
      {"chunks_ignored", "queries see keys of other chunks",
       [](const Evidence& e, const Offer& offer) {
         if (e.problem.mask.chunk == 0) return;
         Mask mask = e.problem.mask;
         mask.chunk = 0;
         offer_mask(e, mask, {}, offer);
       }},
      {"prefix_ignored", "the prefix is masked causally",
       [](const Evidence& e, const Offer& offer) {
         if (!e.problem.mask.prefix) return;
         Mask mask = e.problem.mask;
         mask.prefix.reset();
         mask.causal = true;
         offer_mask(e, mask, {}, offer);
       }},
      {"sinks_ignored", "the window hides the first keys too",
       [](const Evidence& e, const Offer& offer) {
         Mask mask = e.problem.mask;
         mask.sinks = 0;
         offer_mask(e, mask, {}, offer);
       }},
      {"softcap_after_mask", "the softcap is applied after the mask, so masked keys score -cap", cap_masked_keys},
  };
}

}  // namespace ringscope
