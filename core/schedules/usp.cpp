// outer groups of inner members: inside a group each member gets all rows of its heads (Ulysses, arXiv 2309.14509),
// between the groups each member's KV goes round a ring (USP, arXiv 2405.07719).
#include "core/schedules/usp.h"
#include "core/schedules/builders.h"
#include "core/schedules/head_owners.h"
#include "core/schedules/kv_ring.h"

namespace ringscope {

namespace {

enum class Bound : std::uint8_t { to_head_owners, to_row_owners };

class Usp {
 public:
  Usp(const BuildRequest& request, int groups, int members)
      : b_(request), groups_(groups), members_(members), owners_(head_owners(request.problem, members)) {
    ring_.route = {.inner = groups};
    for (int c = 0; c < b_.ranks(); ++c) {
      ring_.q_held.push_back({group_of(c), q_heads(member(c))});
      ring_.kv_held.push_back({group_of(c), kv_heads(member(c))});
      std::vector<int> same_member;
      for (int g = 0; g < groups_; ++g) same_member.push_back(g * members_ + member(c));
      ring_.kv.push_back({ring_.kv_held.back(), path_of(ring_.route, same_member, c / members_, Turn::up)});
      ring_.q.push_back({ring_.q_held.back(), path_of(ring_.route, same_member, c / members_, Turn::down)});
    }
  }

  Schedule build() {
    const std::optional<BackwardStyle> style = b_.request().backward;
    exchange(0, TensorKind::q, Bound::to_head_owners);
    exchange(0, TensorKind::kv, Bound::to_head_owners);
    const int finished = forward_ring(b_, 1, ring_, style);
    if (!style) drop_gathered(finished, {TensorKind::q, TensorKind::kv});
    exchange(finished + 1, TensorKind::out, Bound::to_row_owners, style ? Source::keep : Source::give);
    if (style) backward(finished + 2, *style);
    return b_.take();
  }

 private:
  int member(int rank) const { return rank % members_; }
  Blocks group_of(int rank) const { return {rank / members_ * members_, members_, 1}; }
  Heads q_heads(int j) const { return owners_.q[static_cast<std::size_t>(j)]; }
  Heads kv_heads(int j) const { return owners_.kv[static_cast<std::size_t>(j)]; }

  // Q, KV and Out are with the head owners since the forward.
  void backward(int step, BackwardStyle style) {
    b_.start_backward(step);
    exchange(step, TensorKind::d_o, Bound::to_head_owners);
    const int last = backward_ring(b_, step + 1, ring_, style);
    drop_gathered(step + 1, {TensorKind::out});
    drop_gathered(last, {TensorKind::q, TensorKind::d_o, TensorKind::stats, TensorKind::kv});
    exchange(last + 1, TensorKind::dq, Bound::to_row_owners, Source::give);
    exchange(last + 1, TensorKind::dkv, Bound::to_row_owners, Source::give);
  }

  // The rows of every rank to the owners of the heads, or back; members in order, so that gradients land in rank order.
  void exchange(int step, TensorKind tensor, Bound bound, Source source = Source::keep) {
    const bool to_rows = bound == Bound::to_row_owners;
    for (int owner = 0; owner < b_.ranks(); ++owner) {
      for (int j = 0; j < members_; ++j) {
        const int head_owner = owner / members_ * members_ + j;
        if (is_accumulator(tensor) && !was_made(tensor, head_owner)) continue;
        b_.move(step, {.blocks = b_.own(owner),
                       .from = to_rows ? head_owner : owner,
                       .to = to_rows ? owner : head_owner,
                       .heads = side_of(tensor) == Side::q ? q_heads(j) : kv_heads(j),
                       .slot = to_rows ? home_slot : gather_slot,
                       .tensor = tensor,
                       .combine = is_accumulator(tensor) ? Combine::add : Combine::replace,
                       .source = source});
      }
    }
  }

  // Whether any attend of the backward has written this gradient of the rank's group.
  bool was_made(TensorKind tensor, int rank) const {
    for (int g = 0; g < groups_; ++g) {
      const Blocks other = group_of(g * members_), mine = group_of(rank);
      if (tensor == TensorKind::dq ? b_.needs(mine, other) : b_.needs(other, mine)) return true;
    }
    return false;
  }

  void drop_gathered(int step, std::initializer_list<TensorKind> tensors) {
    for (const TensorKind tensor : tensors) {
      for (int c = 0; c < b_.ranks(); ++c) {
        b_.drop(step, c, {tensor, group_of(c), side_of(tensor) == Side::q ? q_heads(member(c)) : kv_heads(member(c))});
      }
    }
  }

  ScheduleBuilder b_;
  int groups_, members_;
  HeadOwners owners_;
  KvRing ring_;
};

}  // namespace

Schedule usp_schedule(const BuildRequest& request, int groups, int members) {
  return Usp(request, groups, members).build();
}

Schedule build_usp(const BuildRequest& request) {
  return usp_schedule(request, request.ranks.outer, request.ranks.inner);
}

std::optional<std::string> refuse_usp(const Problem& problem, const Recipe& recipe) {
  return refuse_members(problem, recipe, recipe.ranks.inner);
}

}  // namespace ringscope
