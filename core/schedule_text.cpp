#include "core/schedule_text.h"

#include <string>

#include "core/case.h"

namespace ringscope {

namespace {

std::string number(std::int64_t n) {
  return std::to_string(n);
}

std::string option(const char* word, int value) {
  return value == 0 ? std::string() : " " + std::string(word) + " " + number(value);
}

std::string line_of(const Move& m) {
  std::string out = "move " + to_text(m.slice()) + " from " + number(m.from) + " to ";
  out += m.to == nobody ? "nobody" : number(m.to);
  out += option("slot", m.slot);
  if (m.combine == Combine::add) out += " add";
  if (m.combine == Combine::merge) out += " merge";
  if (m.source == Source::give) out += " give";
  return out + option("lag", m.lag);
}

std::string line_of(const Attend& a) {
  return "attend " + number(a.rank) + " " + to_text(Slice{TensorKind::q, a.q, a.q_heads}) + " " +
         to_text(Slice{TensorKind::kv, a.kv, a.kv_heads}) + option("acc-q", a.acc_q) + option("acc-kv", a.acc_kv);
}

std::string line_of(const Finish& f) {
  return "finish " + number(f.rank) + " " + to_text(Slice{TensorKind::q, f.q, f.heads}) + option("slot", f.slot);
}

template <class Items>
void append(std::string& out, const Items& items) {
  for (const auto& item : items) out += "  " + line_of(item) + "\n";
}

}  // namespace

std::string schedule_text(const Plan& plan) {
  const Schedule& s = plan.schedule;
  std::string out = "ringscope schedule 1\n";
  out += "problem " + problem_line(plan.problem) + "\n";
  out += "ranks " + number(plan.layout.ranks) + "\n";
  out += layout_text(plan.layout);
  for (int t = 0; t < s.steps(); ++t) {
    out += "step " + number(t) + (s.pass(t) == Pass::forward ? " forward\n" : " backward\n");
    append(out, s.moves_of(t));
    append(out, s.attends_of(t));
    append(out, s.finishes_of(t));
  }
  return out;
}

}  // namespace ringscope
