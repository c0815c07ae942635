// The kinds of mistakes that the proof must see, each with the rules that say so.
#include <algorithm>

#include "tests/core/damage.h"

namespace ringscope {

namespace {

constexpr auto moves = &StepLists::moves;
constexpr auto attends = &StepLists::attends;
constexpr auto finishes = &StepLists::finishes;

bool on_wire(const Move& m) {
  return m.to != nobody;
}
bool is_input(TensorKind t) {
  return t == TensorKind::q || t == TensorKind::kv || t == TensorKind::d_o || t == TensorKind::stats;
}
bool overlap(const Blocks& a, const Blocks& b) {
  for (int i = 0; i < a.count; ++i) {
    for (int j = 0; j < b.count; ++j) {
      if (a.at(i) == b.at(j)) return true;
    }
  }
  return false;
}
bool overlap(const Heads& a, const Heads& b) {
  return a.begin < b.end && b.begin < a.end;
}

bool writes(const Attend& a, const Move& m) {
  const bool kv = side_of(m.tensor) == Side::kv;
  return a.rank == m.from && overlap(kv ? a.kv : a.q, m.blocks) && overlap(kv ? a.kv_heads : a.q_heads, m.heads);
}

// Changes a random move that satisfies the condition; `alter` says false where this move cannot be so damaged.
template <class Condition, class Alter>
bool on_move(Damage& d, const Condition& condition, const Alter& alter) {
  const auto site = d.pick(moves, [&](std::size_t t, const Move& m) { return condition(t, m); });
  return site && alter(*site);
}
auto wire_of(TensorKind tensor) {
  return [tensor](std::size_t, const Move& m) { return on_wire(m) && m.tensor == tensor; };
}

bool drop_a_move(Damage& d, TensorKind tensor) {
  return on_move(d, wire_of(tensor), [&](const Site& s) { return d.take(moves, s), true; });
}
bool repeat_a_move(Damage& d, TensorKind tensor) {
  return on_move(d, wire_of(tensor), [&](const Site& s) {
    const Move again = d.at(moves, s);
    d.steps[s.t].moves.push_back(again);
    return true;
  });
}
bool keep_a_move(Damage& d, TensorKind tensor) {
  return on_move(d, wire_of(tensor), [&](const Site& s) { return d.at(moves, s).source = Source::keep, true; });
}
bool combine_a_move(Damage& d, TensorKind tensor, Combine combine) {
  return on_move(d, wire_of(tensor), [&](const Site& s) { return d.at(moves, s).combine = combine, true; });
}
bool misroute_a_move(Damage& d, TensorKind tensor) {
  const Layout& layout = d.original().layout;
  if (layout.ranks < 3) return false;
  return on_move(d, wire_of(tensor), [&](const Site& s) {
    Move& m = d.at(moves, s);
    // A gradient that makes a detour may still come home.
    if (is_accumulator(tensor) && (m.blocks.count > 1 || layout.owner(m.blocks.first) != m.to)) return false;
    const std::int32_t right = m.to;
    while (m.to == right || m.to == m.from) m.to = (m.to + 1) % layout.ranks;
    return true;
  });
}
// A step before it is there: what has been there for longer may leave early.
bool send_kv_early(Damage& d) {
  const auto just_landed = [&](std::size_t t, const Move& m) {
    if (!on_wire(m) || m.tensor != TensorKind::kv || t == 0 || d.steps[t - 1].pass != d.steps[t].pass) return false;
    const auto brings = [&](std::size_t u, const Move& b) {
      return u + b.lag == t - 1 && b.to == m.from && b.tensor == m.tensor && overlap(b.blocks, m.blocks) &&
             overlap(b.heads, m.heads);
    };
    return d.pick(moves, brings).has_value();
  };
  return on_move(d, just_landed, [&](const Site& s) {
    const Move m = d.take(moves, s);
    d.steps[s.t - 1].moves.push_back(m);
    return true;
  });
}
bool send_gradient_early(Damage& d) {
  const auto still_growing = [&](std::size_t t, const Move& m) {
    if (!on_wire(m) || m.tensor != TensorKind::dkv || t == 0 || d.steps[t - 1].pass != Pass::backward) return false;
    return std::ranges::any_of(d.steps[t - 1].attends, [&](const Attend& a) { return writes(a, m); });
  };
  return on_move(d, still_growing, [&](const Site& s) {
    const Move m = d.take(moves, s);
    d.steps[s.t - 1].moves.push_back(m);
    return true;
  });
}
// Lands where the receiver still holds what came a step ago.
bool land_in_a_busy_slot(Damage& d) {
  const Layout& layout = d.original().layout;
  const auto slot_before = [&](std::size_t t, const Move& m) -> int {
    if (t == 0 || !on_wire(m) || m.combine != Combine::replace || layout.owner(m.blocks.first) == m.to) return 0;
    for (const Move& b : d.steps[t - 1].moves) {
      if (b.tensor == m.tensor && b.to == m.to && b.lag == 0 && layout.owner(b.blocks.first) != b.to) return b.slot;
    }
    return 0;
  };
  return on_move(
      d, [&](std::size_t t, const Move& m) { return slot_before(t, m) != 0; },
      [&](const Site& s) {
        Move& m = d.at(moves, s);
        m.slot = static_cast<std::uint16_t>(slot_before(s.t, m));
        return true;
      });
}
bool in_flight(std::size_t posted, const Move& m, std::size_t t) {
  return m.lag > 0 && posted <= t && posted + m.lag >= t;
}
// Lands where something that flies over several steps will land.
bool land_in_a_reserved_slot(Damage& d) {
  const Layout& layout = d.original().layout;
  const auto meets = [&](std::size_t t, const Move& m, std::size_t u, const Move& flight) {
    return in_flight(u, flight, t) && u + flight.lag > t && flight.tensor == m.tensor && flight.to == m.to &&
           flight.combine == Combine::replace;
  };
  const auto lands = [&](std::size_t t, const Move& m) {
    if (!on_wire(m) || m.lag > 0 || m.combine != Combine::replace || layout.owner(m.blocks.first) == m.to) return false;
    return d.pick(moves, [&](std::size_t u, const Move& f) { return meets(t, m, u, f); }).has_value();
  };
  return on_move(d, lands, [&](const Site& s) {
    Move& m = d.at(moves, s);
    const auto flight = d.pick(moves, [&](std::size_t u, const Move& f) { return meets(s.t, m, u, f); });
    m.slot = d.at(moves, *flight).slot;
    return true;
  });
}
// Lands where a send that flies over several steps is still reading.
bool land_where_a_flight_reads(Damage& d) {
  const Layout& layout = d.original().layout;
  const auto brought = [&](std::size_t u, const Move& flight) {
    return d.pick(moves, [&](std::size_t v, const Move& b) {
      return v + b.lag < u && b.to == flight.from && b.tensor == flight.tensor && b.blocks == flight.blocks;
    });
  };
  const auto meets = [&](std::size_t t, const Move& m, std::size_t u, const Move& flight) {
    return u < t && in_flight(u, flight, t) && flight.tensor == m.tensor && flight.from == m.to && brought(u, flight);
  };
  const auto lands = [&](std::size_t t, const Move& m) {
    if (!on_wire(m) || m.combine != Combine::replace || layout.owner(m.blocks.first) == m.to) return false;
    return d.pick(moves, [&](std::size_t u, const Move& f) { return meets(t, m, u, f); }).has_value();
  };
  return on_move(d, lands, [&](const Site& s) {
    Move& m = d.at(moves, s);
    const auto flight = d.pick(moves, [&](std::size_t u, const Move& f) { return meets(s.t, m, u, f); });
    m.slot = d.at(moves, *brought(flight->t, d.at(moves, *flight))).slot;
    return true;
  });
}
bool land_at_home(Damage& d) {
  const Layout& layout = d.original().layout;
  const auto foreign = [&](std::size_t, const Move& m) {
    return on_wire(m) && is_input(m.tensor) && layout.owner(m.blocks.first) != m.to;
  };
  return on_move(d, foreign, [&](const Site& s) { return d.at(moves, s).slot = home_slot, true; });
}
bool repeat_an_input(Damage& d) {
  const auto input = [](std::size_t, const Move& m) { return on_wire(m) && is_input(m.tensor); };
  return on_move(d, input, [&](const Site& s) {
    const Move again = d.at(moves, s);
    d.steps[s.t].moves.push_back(again);
    return true;
  });
}
bool forget_the_last_drop(Damage& d) {
  for (std::size_t t = d.steps.size(); t-- > 0;) {
    const auto& list = d.steps[t].moves;
    const auto drop = std::ranges::find_if(list, [](const Move& m) { return !on_wire(m); });
    if (drop == list.end()) continue;
    d.take(moves, {t, static_cast<std::size_t>(drop - list.begin())});
    return true;
  }
  return false;
}

bool drop_an_attend(Damage& d, Pass pass) {
  const auto site = d.pick(attends, [&](std::size_t t, const Attend&) { return d.steps[t].pass == pass; });
  return site && (d.take(attends, *site), true);
}
bool repeat_an_attend(Damage& d, Pass pass) {
  const auto site = d.pick(attends, [&](std::size_t t, const Attend&) { return d.steps[t].pass == pass; });
  if (!site) return false;
  const Attend again = d.at(attends, *site);
  d.steps[site->t].attends.push_back(again);
  return true;
}
bool swap_two_attends(Damage& d) {
  const auto site = d.pick(attends, [&](std::size_t t, const Attend& a) {
    return std::ranges::any_of(d.steps[t].attends, [&](const Attend& b) {
      return b.rank != a.rank && b.kv != a.kv && b.kv_heads == a.kv_heads;
    });
  });
  if (!site) return false;
  Attend& a = d.at(attends, *site);
  auto& list = d.steps[site->t].attends;
  const auto b = std::ranges::find_if(
      list, [&](const Attend& x) { return x.rank != a.rank && x.kv != a.kv && x.kv_heads == a.kv_heads; });
  std::swap(a.kv, b->kv);
  return true;
}
bool take_a_kv_head_away(Damage& d) {
  const auto site = d.pick(attends, [](std::size_t, const Attend&) { return true; });
  if (!site) return false;
  Heads& h = d.at(attends, *site).kv_heads;
  const auto all = static_cast<std::uint16_t>(d.original().problem.heads_kv);
  h = h.begin > 0   ? Heads{0, h.begin}
      : h.end < all ? Heads{h.end, all}
                    : Heads{0, static_cast<std::uint16_t>(h.end - 1)};
  return true;
}
// Behind the last forward step, where everything is finished.
bool attend_after_the_finish(Damage& d) {
  const auto site = d.pick(attends, [&](std::size_t t, const Attend&) { return d.steps[t].pass == Pass::forward; });
  if (!site) return false;
  const Attend late = d.take(attends, *site);
  const auto behind = std::ranges::find_if(d.steps, [](const StepLists& s) { return s.pass == Pass::backward; });
  d.steps.insert(behind, StepLists{Pass::forward, {}, {late}, {}});
  return true;
}
// Repeats an attend in the step that sends what it has written.
bool write_what_is_being_sent(Damage& d) {
  const auto fresh = [&](std::size_t t, const Move& m) {
    return on_wire(m) && is_accumulator(m.tensor) && t > 0 && d.steps[t - 1].pass == d.steps[t].pass &&
           std::ranges::any_of(d.steps[t - 1].attends, [&](const Attend& a) { return writes(a, m); });
  };
  return on_move(d, fresh, [&](const Site& s) {
    const Move& m = d.at(moves, s);
    const auto& before = d.steps[s.t - 1].attends;
    d.steps[s.t].attends.push_back(*std::ranges::find_if(before, [&](const Attend& a) { return writes(a, m); }));
    return true;
  });
}

std::optional<Site> a_finish(Damage& d, Pass pass) {
  return d.pick(finishes, [&](std::size_t t, const Finish&) { return d.steps[t].pass == pass; });
}
bool drop_a_finish(Damage& d, Pass pass) {
  const auto site = a_finish(d, pass);
  return site && (d.take(finishes, *site), true);
}
bool repeat_a_finish(Damage& d, Pass pass) {
  const auto site = a_finish(d, pass);
  if (!site) return false;
  const Finish again = d.at(finishes, *site);
  d.steps[site->t].finishes.push_back(again);
  return true;
}
// Before the step of the last attend, or of the last merge, that it needs.
bool finish_early(Damage& d) {
  const auto site = a_finish(d, Pass::forward);
  if (!site) return false;
  const Finish f = d.take(finishes, *site);
  std::size_t last = 0;
  for (std::size_t t = 0; t <= site->t; ++t) {
    for (const Attend& a : d.steps[t].attends) {
      if (overlap(a.q, f.q) && overlap(a.q_heads, f.heads)) last = t;
    }
  }
  if (last == 0) {
    d.steps.insert(d.steps.begin(), StepLists{});
    last = 1;
  }
  d.steps[last - 1].finishes.push_back(f);
  return true;
}
// A State that is made, or will be, goes to another rank but stays where it is too.
bool split_a_state(Damage& d) {
  const Layout& layout = d.original().layout;
  const auto site = d.pick(attends, [&](std::size_t t, const Attend&) { return d.steps[t].pass == Pass::forward; });
  if (!site || layout.ranks < 2) return false;
  const Attend a = d.at(attends, *site);
  d.steps[site->t].moves.push_back({.blocks = {a.q.first, 1, 1},
                                    .from = a.rank,
                                    .to = (a.rank + 1) % layout.ranks,
                                    .heads = a.q_heads,
                                    .slot = 99,
                                    .tensor = TensorKind::state,
                                    .combine = Combine::merge});
  return true;
}
bool throw_a_gradient_away(Damage& d) {
  const auto gradient = [](std::size_t, const Move& m) {
    return on_wire(m) && (m.tensor == TensorKind::dkv || m.tensor == TensorKind::dq);
  };
  return on_move(d, gradient, [&](const Site& s) {
    Move& m = d.at(moves, s);
    m.to = nobody, m.lag = 0, m.combine = Combine::replace;
    return true;
  });
}
bool combine_wrongly(Damage& d) {
  return on_move(
      d, [](std::size_t, const Move& m) { return on_wire(m); },
      [&](const Site& s) {
        Move& m = d.at(moves, s);
        m.combine = m.combine == Combine::replace ? Combine::add : Combine::replace;
        return true;
      });
}
// A block out of bounds, heads without end, a rank that is not, a landing after the end.
bool break_the_shape(Damage& d) {
  return on_move(
      d, [](std::size_t, const Move& m) { return on_wire(m); },
      [&](const Site& s) {
        Move& m = d.at(moves, s);
        switch (d.below(7)) {
          case 0:
            m.blocks.first = d.original().layout.blocks();
            break;
          case 1:
            m.blocks = {0, 2, 2147483647};
            break;
          case 2:
            m.heads.end = 65535;
            break;
          case 3:
            m.heads.begin = m.heads.end;
            break;
          case 4:
            m.from = -7;
            break;
          case 5:
            m.to = d.original().layout.ranks;
            break;
          default:
            m.lag = 65535;
        }
        return true;
      });
}

}  // namespace

std::span<const Plant> plants() {
  using enum Rule;
  using enum TensorKind;
  constexpr Pass fwd = Pass::forward, bwd = Pass::backward;
  static const std::vector<Plant> all{
      {"attend dropped", {coverage}, [](Damage& d) { return drop_an_attend(d, fwd); }},
      {"attend twice", {coverage}, [](Damage& d) { return repeat_an_attend(d, fwd); }},
      {"backward attend dropped", {coverage}, [](Damage& d) { return drop_an_attend(d, bwd); }},
      {"backward attend twice", {coverage}, [](Damage& d) { return repeat_an_attend(d, bwd); }},
      {"attends swapped between ranks", {presence, coverage}, swap_two_attends},
      {"attend without a KV head", {heads}, take_a_kv_head_away},
      {"attend after Finish", {finish}, attend_after_the_finish},
      {"attend into what is being sent", {overwrite}, write_what_is_being_sent},
      {"KV move dropped", {presence}, [](Damage& d) { return drop_a_move(d, kv); }},
      {"KV move to the wrong rank", {presence}, [](Damage& d) { return misroute_a_move(d, kv); }},
      {"KV move a step early", {presence}, send_kv_early},
      {"Q move dropped", {presence}, [](Damage& d) { return drop_a_move(d, q); }},
      {"Q move to the wrong rank", {presence}, [](Damage& d) { return misroute_a_move(d, q); }},
      {"dO move dropped", {presence}, [](Damage& d) { return drop_a_move(d, d_o); }},
      {"Stats move dropped", {presence}, [](Damage& d) { return drop_a_move(d, stats); }},
      {"landing in a busy slot", {overwrite}, land_in_a_busy_slot},
      {"landing in a reserved slot", {overwrite}, land_in_a_reserved_slot},
      {"landing where a flight reads", {overwrite}, land_where_a_flight_reads},
      {"landing in slot 0", {overwrite}, land_at_home},
      {"input sent twice", {overwrite}, repeat_an_input},
      {"last drop forgotten", {leak}, forget_the_last_drop},
      {"State merged twice", {state_owner}, [](Damage& d) { return repeat_a_move(d, state); }},
      {"State kept", {state_owner}, [](Damage& d) { return keep_a_move(d, state); }},
      {"State split", {state_owner}, split_a_state},
      {"State added", {combine}, [](Damage& d) { return combine_a_move(d, state, Combine::add); }},
      {"State never sent", {finish}, [](Damage& d) { return drop_a_move(d, state); }},
      {"move combined wrongly", {combine}, combine_wrongly},
      {"dKV hop dropped", {gradient}, [](Damage& d) { return drop_a_move(d, dkv); }},
      {"dKV hop twice", {state_owner}, [](Damage& d) { return repeat_a_move(d, dkv); }},
      {"dKV kept", {state_owner}, [](Damage& d) { return keep_a_move(d, dkv); }},
      {"dKV replaces", {combine}, [](Damage& d) { return combine_a_move(d, dkv, Combine::replace); }},
      {"dKV home to the wrong rank", {gradient, overwrite}, [](Damage& d) { return misroute_a_move(d, dkv); }},
      {"dKV a step early", {gradient, presence, overwrite}, send_gradient_early},
      {"dQ hop dropped", {gradient}, [](Damage& d) { return drop_a_move(d, dq); }},
      {"dQ home to the wrong rank", {gradient, overwrite}, [](Damage& d) { return misroute_a_move(d, dq); }},
      {"gradient thrown away", {gradient}, throw_a_gradient_away},
      {"Out never home", {home}, [](Damage& d) { return drop_a_move(d, out); }},
      {"Finish early", {finish}, finish_early},
      {"Finish dropped", {home}, [](Damage& d) { return drop_a_finish(d, fwd); }},
      {"Finish twice", {finish}, [](Damage& d) { return repeat_a_finish(d, fwd); }},
      {"backward Finish dropped", {presence}, [](Damage& d) { return drop_a_finish(d, bwd); }},
      {"backward Finish twice", {finish}, [](Damage& d) { return repeat_a_finish(d, bwd); }},
      {"out of bounds", {shape}, break_the_shape},
  };
  return all;
}

}  // namespace ringscope
