// Numeric faults of masks: a kernel that lets a row see other keys than the mask allows.
#include <algorithm>
#include <utility>

#include "core/faults/places.h"

namespace ringscope {

namespace {

using Sees = std::function<bool(const Spot&, const MeetingPair&)>;
// Nothing where the mask has no such part.
using MakeSees = std::function<Sees(const Plan&)>;

// Applies where some pair of an Attend is seen otherwise than the mask says.
FaultKind mask_fault(std::string_view name, std::string_view sentence, const MakeSees& make,
                     FaultSpread spread = FaultSpread::everywhere) {
  FaultKind kind{name, sentence, FaultFamily::numeric};
  kind.spread = spread;
  kind.sites = [make](const Plan& plan) {
    const Sees sees = make(plan);
    if (!sees) return std::vector<FaultSite>{};
    return attends_where([&](const Plan& p, int step, const Attend& a, const AttendView& view) {
      const Spot spot{p, a.rank, step, p.schedule.pass(step)};
      return any_pair(p, a, view, [&](const MeetingPair& pair) { return sees(spot, pair) != pair.allowed; });
    })(plan);
  };
  kind.mishap = [make](const Plan& plan) {
    Mishap mishap;
    mishap.sees = make(plan);
    return mishap;
  };
  return kind;
}

std::int64_t key_position(const Spot& spot, const MeetingPair& pair) {
  return spot.plan.problem.mask.offset.value_or(spot.plan.problem.len_kv - spot.plan.problem.len_q) + pair.i;
}

bool is_causal(const Problem& p) {
  return p.mask.causal || p.mask.prefix;
}

// The rows of another mask; nothing where `change` leaves the mask as it is.
MakeSees other_mask(std::function<void(Mask&, const Problem&)> change) {
  return [change = std::move(change)](const Plan& plan) -> Sees {
    Mask wrong = plan.problem.mask;
    change(wrong, plan.problem);
    if (wrong == plan.problem.mask) return nullptr;
    const MaskRows rows(wrong, plan.problem.len_q, plan.problem.len_kv);
    return [rows](const Spot&, const MeetingPair& pair) { return rows.row(pair.batch, pair.i).contains(pair.j); };
  };
}

// The mask is right, and asked about other positions.
using Positions = std::function<std::pair<std::int64_t, std::int64_t>(const Spot&, const MeetingPair&)>;
MakeSees other_positions(Positions positions) {
  return [positions = std::move(positions)](const Plan& plan) -> Sees {
    if (plan.problem.mask == Mask{}) return nullptr;
    const MaskRows rows = plan.problem.mask_rows();
    return [rows, positions](const Spot& spot, const MeetingPair& pair) {
      const auto [i, j] = positions(spot, pair);
      return rows.row(pair.batch, i).contains(j);
    };
  };
}

// Rows of the rank's blocks that come before the pair's block.
std::int64_t rows_before(const Layout& layout, Side side, int block) {
  std::int64_t rows = 0;
  for (int b = layout.owner(block) * layout.blocks_per_rank; b < block; ++b) rows += layout.rows(side, b);
  return rows;
}

std::pair<std::int64_t, std::int64_t> local_positions(const Spot& spot, const MeetingPair& pair) {
  const Layout& layout = spot.plan.layout;
  return {rows_before(layout, Side::q, pair.q_block) + pair.row,
          rows_before(layout, Side::kv, pair.kv_block) + pair.key};
}

// As if the ranks' shards lay one after another.
std::pair<std::int64_t, std::int64_t> contiguous_positions(const Spot& spot, const MeetingPair& pair) {
  const Layout& layout = spot.plan.layout;
  std::int64_t i = pair.row, j = pair.key;
  for (int b = 0; b < pair.q_block; ++b) i += layout.rows(Side::q, b);
  for (int b = 0; b < pair.kv_block; ++b) j += layout.rows(Side::kv, b);
  return {i, j};
}

// The block that is here is taken for the one that would be, were the ring turning the other way.
std::pair<std::int64_t, std::int64_t> labels_of_other_direction(const Spot& spot, const MeetingPair& pair) {
  const Layout& layout = spot.plan.layout;
  const int n = layout.ranks, owner = layout.owner(pair.kv_block), mirrored = ((2 * spot.rank - owner) % n + n) % n;
  const int block = mirrored * layout.blocks_per_rank + pair.kv_block % layout.blocks_per_rank;
  if (pair.key >= layout.rows(Side::kv, block)) return {pair.i, pair.j};
  return {pair.i, layout.block(Side::kv, block).position(pair.key)};
}

// Full below the diagonal of ranks, triangular on it, empty above: right for contiguous shards alone.
Sees mask_by_rank(const Plan& plan) {
  if (!is_causal(plan.problem)) return nullptr;
  return [](const Spot& spot, const MeetingPair& pair) {
    const Layout& layout = spot.plan.layout;
    const int q = layout.owner(pair.q_block), kv = layout.owner(pair.kv_block);
    return kv < q || (kv == q && pair.allowed);
  };
}

// The window is shifted by the ring step a second time.
std::pair<std::int64_t, std::int64_t> shifted_by_step(const Spot& spot, const MeetingPair& pair) {
  const Layout& layout = spot.plan.layout;
  const std::int64_t distance = layout.owner(pair.kv_block) - layout.owner(pair.q_block);
  return {pair.i, pair.j - 2 * distance * layout.rows(Side::kv, pair.kv_block)};
}

// -1e30 stands for -infinity, so that a row without keys weighs all alike; its query is 0 here for that. The backward
// masks again.
FaultKind empty_rows_see_all() {
  const MakeSees all_of_empty_rows = [](const Plan& plan) -> Sees {
    if (plan.problem.terms.alibi || plan.problem.terms.sink_logit) return nullptr;
    const MaskRows rows = plan.problem.mask_rows();
    return [rows](const Spot& spot, const MeetingPair& pair) {
      return pair.allowed || (spot.pass == Pass::forward && rows.row(pair.batch, pair.i).size() == 0);
    };
  };
  FaultKind kind = mask_fault("empty-row-mean-v", "rows that see no key give the mean of V", all_of_empty_rows);
  kind.mishap = [all_of_empty_rows](const Plan& plan) {
    Mishap mishap;
    mishap.sees = all_of_empty_rows(plan);
    const MaskRows rows = plan.problem.mask_rows();
    mishap.read = [rows](const Spot& spot, const HeldBlock*, HeldBlock& held) {
      if (held.tensor != TensorKind::q || spot.pass != Pass::forward) return;
      const std::int64_t dim = spot.plan.problem.dim_qk;
      for (std::int64_t r = 0; r < spot.plan.problem.batch * held.rows; ++r) {
        const std::int64_t i = spot.plan.layout.block(Side::q, held.block).position(r % held.rows);
        if (rows.row(r / held.rows, i).size() == 0) std::fill_n(held.values.begin() + r * dim, dim, 0.0);
      }
    };
    return mishap;
  };
  return kind;
}

// Applies where the mask hides a key of an Attend.
FaultKind capped_after_mask() {
  FaultKind kind{"softcap-after-mask", "the softcap is applied after the mask, so masked keys score -cap",
                 FaultFamily::numeric};
  kind.spread = FaultSpread::everywhere;
  kind.sites = attends_where([](const Plan& plan, int, const Attend& a, const AttendView& view) {
    return plan.problem.terms.softcap > 0 &&
           any_pair(plan, a, view, [](const MeetingPair& pair) { return !pair.allowed; });
  });
  kind.mishap = [](const Plan& plan) {
    Mishap mishap;
    mishap.masked_score = -plan.problem.terms.softcap;
    return mishap;
  };
  return kind;
}

// A tile of 4 keys, as tail-tile-dropped has it: the last one's spare slots still hold keys of the tile before, and
// rows that see the block's last key count them.
FaultKind stale_tail() {
  constexpr std::int64_t tile = 4;
  const auto sees_again = [](const Plan& plan) -> Sees {
    const MaskRows rows = plan.problem.mask_rows();
    return [rows](const Spot& spot, const MeetingPair& pair) {
      const std::int64_t tail = pair.keys % tile;
      if (tail == 0 || pair.keys < tile || pair.key < pair.keys - tile || pair.key >= pair.keys - tail) return false;
      const std::int64_t last = spot.plan.layout.block(Side::kv, pair.kv_block).position(pair.keys - 1);
      return rows.row(pair.batch, pair.i).contains(last);
    };
  };
  FaultKind kind{"tail-tile-stale", "spare slots of the last tile still hold keys of the tile before",
                 FaultFamily::numeric};
  kind.spread = FaultSpread::everywhere;
  kind.sites = [sees_again](const Plan& plan) {
    const Sees again = sees_again(plan);
    return attends_where([&](const Plan& p, int step, const Attend& a, const AttendView& view) {
      const Spot spot{p, a.rank, step, p.schedule.pass(step)};
      return any_pair(p, a, view, [&](const MeetingPair& pair) { return again(spot, pair); });
    })(plan);
  };
  kind.mishap = [sees_again](const Plan& plan) {
    Mishap mishap;
    mishap.sees_again = sees_again(plan);
    return mishap;
  };
  return kind;
}

}  // namespace

std::vector<FaultKind> mask_faults() {
  const MakeSees without_own_key = [](const Plan& plan) -> Sees {
    if (!is_causal(plan.problem)) return nullptr;
    return [](const Spot& spot, const MeetingPair& pair) { return pair.allowed && pair.j != key_position(spot, pair); };
  };
  const MakeSees own_key_missing = [](const Plan& plan) -> Sees {
    if (is_causal(plan.problem)) return nullptr;
    return [](const Spot& spot, const MeetingPair& pair) { return pair.allowed && pair.j != key_position(spot, pair); };
  };
  const MakeSees with_next_key = [](const Plan& plan) -> Sees {
    if (!is_causal(plan.problem)) return nullptr;
    return [](const Spot& spot, const MeetingPair& pair) {
      return pair.allowed || pair.j == key_position(spot, pair) + 1;
    };
  };
  const MakeSees whole_tiles = [](const Plan&) -> Sees {
    constexpr std::int64_t tile = 4;
    return [](const Spot&, const MeetingPair& pair) { return pair.allowed && pair.key < pair.keys / tile * tile; };
  };
  const MakeSees no_pair = [](const Plan&) -> Sees { return [](const Spot&, const MeetingPair&) { return false; }; };
  return {
      mask_fault("strict-causal", "a row does not see its own key", without_own_key),
      mask_fault("own-key-missing", "a row does not see its own key, though no causal edge is near it",
                 own_key_missing),
      mask_fault("causal-plus-one", "a row sees one key of its future", with_next_key),
      mask_fault("causal-top-left", "the mask is aligned top-left instead of bottom-right",
                 other_mask([](Mask& m, const Problem& p) {
                   if (m.offset.value_or(p.len_kv - p.len_q) == p.len_kv - p.len_q) m.offset = 0;
                 })),
      mask_fault("causal-bottom-right", "the mask is aligned bottom-right instead of top-left",
                 other_mask([](Mask& m, const Problem& p) {
                   if (m.offset == 0) m.offset = p.len_kv - p.len_q;
                 })),
      mask_fault("mask-ignored", "every query sees every key", other_mask([](Mask& m, const Problem&) { m = {}; })),
      mask_fault("window-no-left", "the window's left edge is not applied", other_mask([](Mask& m, const Problem&) {
                   if (m.window) m.window->left = -1;
                 })),
      mask_fault("window-no-right", "the window's right edge is not applied", other_mask([](Mask& m, const Problem&) {
                   if (m.window) m.window->right = -1;
                 })),
      mask_fault("window-off-by-one", "an edge of the window is off by one", other_mask([](Mask& m, const Problem&) {
                   if (m.window && m.window->left >= 0) ++m.window->left;
                 })),
      mask_fault("window-shift-doubled", "the window moves along with the ring step a second time",
                 other_positions([](const Spot& spot, const MeetingPair& pair) {
                   if (!spot.plan.problem.mask.window) return std::pair(pair.i, pair.j);
                   return shifted_by_step(spot, pair);
                 })),
      mask_fault("documents-ignored", "queries see keys of other documents",
                 other_mask([](Mask& m, const Problem&) { m.docs.clear(); })),
      mask_fault("chunks-ignored", "queries see keys of other chunks",
                 other_mask([](Mask& m, const Problem&) { m.chunk = 0; })),
      mask_fault("prefix-ignored", "the prefix is masked causally", other_mask([](Mask& m, const Problem&) {
                   if (m.prefix) m.prefix = 0;
                 })),
      mask_fault("sinks-ignored", "the window hides the first keys too",
                 other_mask([](Mask& m, const Problem&) { m.sinks = 0; })),
      mask_fault("kv-lengths-ignored", "padded keys are seen",
                 other_mask([](Mask& m, const Problem&) { m.kv_lens.clear(); })),
      mask_fault("kv-lengths-of-first", "every batch item has the first one's number of keys",
                 other_mask([](Mask& m, const Problem&) {
                   for (std::int64_t& n : m.kv_lens) n = m.kv_lens.front();
                 })),
      mask_fault("ring-local-positions", "every block is masked by local row numbers instead of global positions",
                 other_positions(local_positions)),
      mask_fault("contiguous-positions", "the mask takes the ranks' tokens to lie one after another",
                 other_positions(contiguous_positions)),
      mask_fault("mask-by-rank", "whole blocks are masked by their ranks: right for contiguous shards alone",
                 mask_by_rank),
      mask_fault("other-direction", "the mask takes the KV block for the one of a ring that turns the other way",
                 other_positions(labels_of_other_direction)),
      empty_rows_see_all(),
      capped_after_mask(),
      stale_tail(),
      mask_fault("tail-tile-dropped", "keys past the last whole tile of a block are not seen", whole_tiles),
      mask_fault("ring-block-missing", "a rank never attends to one KV block", no_pair, FaultSpread::one_place),
  };
}

}  // namespace ringscope
