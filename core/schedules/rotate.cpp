#include "core/schedules/rotate.h"

#include "core/index.h"

namespace ringscope {

namespace {

// What is known of one traveller at one stop before a step is written.
struct Visit {
  bool attends = false;
  bool comes = false;    // the block comes here: this stop or one behind it attends
  bool carries = false;  // there is a gradient to send on from here
  bool goes_on = false;  // the gradient goes to the next stop, not straight home
};

class Rotor {
 public:
  Rotor(ScheduleBuilder& builder, const Rotation& rotation) : b_(builder), r_(rotation) {
    for (const Traveller& x : r_.travellers) {
      if (b_.has_rows(r_.travels, x.what.blocks)) moving_.push_back(&x);
    }
    const std::size_t visits = moving_.size() * at(r_.route.stops());
    b_.expect(visits * (moving_tensors().size() + (backward() ? 1 : 0)), visits);
    visits_.resize(visits);
    for (std::size_t i = 0; i < moving_.size(); ++i) look_ahead(i);
  }

  int write() {
    const Route& route = r_.route;
    for (int tick = 0; tick < route.stops(); ++tick) {
      for (std::size_t i = 0; i < moving_.size(); ++i) visit(i, route.stop_at(tick));
      if (backward() && tick > 0) send_gradients(route.stop_at(tick - 1));
    }
    const int last = r_.first_step + route.last();
    if (!backward() || route.way == Route::Way::inward || route.last() == 0) return last;
    send_gradients(route.last());
    return last + 1;
  }

 private:
  bool backward() const { return r_.pass == Pass::backward; }
  bool prunes() const { return b_.request().prune; }
  int step_of(int v) const { return r_.first_step + r_.route.tick(v); }
  Visit& seen(std::size_t traveller, int v) { return visits_[traveller * at(r_.route.stops()) + at(v)]; }
  std::uint16_t slot(const Traveller& x, int v) const { return in_lane(x, v, r_.route.slot(v)); }
  std::uint16_t gradient_slot(const Traveller& x, int v) const { return in_lane(x, v, r_.route.gradient_slot(v)); }
  static std::uint16_t in_lane(const Traveller& x, int v, std::uint16_t slot) {
    return v == Route::home ? gather_slot : static_cast<std::uint16_t>(slot + 2 * x.lane);
  }

  std::span<const TensorKind> moving_tensors() const {
    static constexpr TensorKind kv[] = {TensorKind::kv};
    static constexpr TensorKind q[] = {TensorKind::q, TensorKind::d_o, TensorKind::stats};
    if (r_.travels == Side::kv) return kv;
    return std::span(q).first(backward() ? 3 : 1);
  }

  void look_ahead(std::size_t me) {
    const Traveller& x = *moving_[me];
    const Route& route = r_.route;
    for (int v = 0; v < route.stops(); ++v) {
      const Blocks& stays = r_.stays[at(x.path[at(v)])].blocks;
      seen(me, v).attends = r_.travels == Side::kv ? b_.needs(stays, x.what.blocks) : b_.needs(x.what.blocks, stays);
    }
    for (int tick = route.last(); tick >= 0; --tick) {
      const int v = route.stop_at(tick);
      Visit& here = seen(me, v);
      here.comes = here.attends || !prunes();
      for (const int w : route.next(v)) here.comes = here.comes || (w != Route::none && seen(me, w).comes);
      if (v == Route::home) continue;
      const int w = route.gradient_next(v);
      here.goes_on = !prunes() || (w != Route::home && (seen(me, w).attends || seen(me, w).goes_on));
    }
    for (int tick = 0; tick < route.stops(); ++tick) {
      const int v = route.stop_at(tick);
      if (v == Route::home) continue;
      Visit& here = seen(me, v);
      here.carries = here.carries || here.attends;
      if (here.carries) seen(me, gradient_target(me, v)).carries = true;
    }
  }

  int gradient_target(std::size_t i, int v) { return seen(i, v).goes_on ? r_.route.gradient_next(v) : Route::home; }

  void visit(std::size_t i, int v) {
    if (!seen(i, v).comes) return;
    const Traveller& x = *moving_[i];
    send_on(i, v);
    if (seen(i, v).attends) attend(x, v);
  }

  // The last copy sent from a stop empties it; home keeps its own.
  void send_on(std::size_t i, int v) {
    const Traveller& x = *moving_[i];
    int last = Route::none;
    for (const int w : r_.route.next(v)) last = w != Route::none && seen(i, w).comes ? w : last;
    for (const TensorKind tensor : moving_tensors()) {
      for (const int w : r_.route.next(v)) {
        if (w == Route::none || !seen(i, w).comes) continue;
        b_.move(step_of(v), {.blocks = x.what.blocks,
                             .from = x.path[at(v)],
                             .to = x.path[at(w)],
                             .heads = x.what.heads,
                             .slot = slot(x, w),
                             .lag = static_cast<std::uint16_t>(r_.route.lag(v, w)),
                             .tensor = tensor,
                             .source = w == last && v != Route::home ? Source::give : Source::keep});
      }
      const bool ends = last == Route::none && v != Route::home;
      const bool kept = r_.last_copy == LastCopy::keep && v == r_.route.last();
      if (ends && !kept) b_.drop(step_of(v), x.path[at(v)], {tensor, x.what.blocks, x.what.heads});
    }
  }

  void attend(const Traveller& x, int v) {
    const int rank = x.path[at(v)];
    const Share& stays = r_.stays[at(rank)];
    Attend a{.rank = rank};
    if (r_.travels == Side::kv) {
      a.q = stays.blocks, a.q_heads = stays.heads, a.acc_q = gather_slot;
      a.kv = x.what.blocks, a.kv_heads = x.what.heads, a.acc_kv = backward() ? gradient_slot(x, v) : home_slot;
    } else {
      a.q = x.what.blocks, a.q_heads = x.what.heads;
      a.acc_q = backward() ? gradient_slot(x, v) : static_cast<std::uint16_t>(gather_slot + v);
      a.kv = stays.blocks, a.kv_heads = stays.heads, a.acc_kv = backward() ? gather_slot : home_slot;
    }
    b_.attend(step_of(v), a);
  }

  // One step behind the attend; home's own part stays there.
  void send_gradients(int v) {
    if (v == Route::home) return;
    for (std::size_t i = 0; i < moving_.size(); ++i) {
      if (!seen(i, v).carries) continue;
      const Traveller& x = *moving_[i];
      const int w = gradient_target(i, v);
      b_.move(step_of(v) + 1, {.blocks = x.what.blocks,
                               .from = x.path[at(v)],
                               .to = x.path[at(w)],
                               .heads = x.what.heads,
                               .slot = gradient_slot(x, w),
                               .lag = static_cast<std::uint16_t>(r_.route.gradient_lag(v, w)),
                               .tensor = r_.travels == Side::kv ? TensorKind::dkv : TensorKind::dq,
                               .combine = Combine::add,
                               .source = Source::give});
    }
  }

  ScheduleBuilder& b_;
  const Rotation& r_;
  std::vector<const Traveller*> moving_;
  std::vector<Visit> visits_;  // [traveller in moving_][stop]
};

}  // namespace

int rotate(ScheduleBuilder& builder, const Rotation& rotation) {
  return Rotor(builder, rotation).write();
}

}  // namespace ringscope
