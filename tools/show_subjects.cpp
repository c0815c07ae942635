#include "tools/show_subjects.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/schedule_check.h"
#include "formats/counts_json.h"
#include "pictures/balance_bars.h"
#include "pictures/counts_table.h"
#include "pictures/layout_strip.h"
#include "pictures/mask_map.h"
#include "pictures/ring_step.h"
#include "pictures/schedule_table.h"
#include "tools/progress.h"
#include "tools/show_json.h"
#include "tools/show_run.h"
#include "tools/stage.h"

namespace ringscope {

namespace {

template <class Model>
Shown shown_from(std::string heading, std::string words, Model model) {
  return {{{std::move(heading), std::move(words), {draw(model)}, {write(model)}}},
          [model = std::move(model)] { return to_json(model); }};
}

// The pairs of partial tiles are counted row by row: a billion tokens take a while.
template <class Make>
auto counting(const Make& make) {
  const Ticker ticker("counting pairs");
  return make();
}

struct Counted {
  ScheduleFacts facts;
  std::string refusal;  // by the proof, of a plan with a planted fault; empty: proved
};

// What a damaged plan does can be counted all the same, unless it is malformed.
Counted counted(const Plan& plan, const FaultChoice& fault) {
  Proof proof = prove_told(plan);
  if (proof.holds()) return {std::move(proof.facts), {}};
  const std::string& sentence = proof.violations.front().sentence;
  if (fault.name.empty() || proof.facts.forward.pairs.empty()) {
    throw Error(ErrorKind::unprovable, sentence, "a plan that can be proved");
  }
  return {std::move(proof.facts), "with the planted fault " + fault.name + ", which the proof refuses: " + sentence};
}

void say_refusal(const std::string& refusal, Shown& shown) {
  if (refusal.empty()) return;
  Sheet sheet;
  sheet.say(refusal, Ink::accent);
  sheet.skip();
  Section& section = shown.sections.front();
  section.sheets.insert(section.sheets.begin(), std::move(sheet));
  shown.json = [json = std::move(shown.json), refusal] {
    nlohmann::ordered_json out = json();
    out["refused"] = refusal;
    return out;
  };
}

// Throws Error(bad_request) for a --step that the schedule does not have.
void require_step(const ShowRequest& request, const Schedule& schedule) {
  if (!request.step || *request.step < schedule.steps()) return;
  throw Error(ErrorKind::bad_request, "--step " + std::to_string(*request.step),
              "a step from 0 to " + std::to_string(schedule.steps() - 1) + " of this schedule",
              "the forward's steps come first, then the backward's");
}

Plan plan_of(const ShowRequest& request) {
  Plan plan = stage(request.c).plan;
  require_step(request, plan.schedule);
  return plan;
}

Shown show_layout(const ShowRequest& request) {
  return shown_from("Layout", "Which rank owns which tokens.", make_layout_strip(plan_of(request).layout));
}

Shown show_mask(const ShowRequest& request) {
  const Plan plan = plan_of(request);
  const Pass pass = request.step ? plan.schedule.pass(*request.step) : Pass::forward;
  const MaskMapRequest tiles{request.head.value_or(0), request.batch.value_or(every_item), pass, request.step};
  return shown_from("Mask", "Which pairs the mask leaves, and which rank computes them in which step.",
                    counting([&] { return make_mask_map(plan, tiles); }));
}

Shown show_schedule(const ShowRequest& request) {
  const Plan plan = plan_of(request);
  return shown_from("Schedule", "What every rank attends in every step.",
                    counting([&] { return make_schedule_table(plan); }));
}

Shown show_ring(const ShowRequest& request) {
  const Plan plan = plan_of(request);
  return shown_from("Ring", "One step: what each rank attends, and what moves meanwhile.",
                    counting([&] { return make_ring_step(plan, request.step.value_or(0)); }));
}

BalanceBars bars_of(const ScheduleFacts& facts, std::string name) {
  return {std::move(name), facts.forward.pairs, balance(facts.forward), lockstep_efficiency(facts.forward)};
}

// Beside the layout of the case the one that a case has if it does not say, unless they are the same.
Shown show_balance(const ShowRequest& request) {
  const Plan plan = plan_of(request);
  const Counted here = counted(plan, request.c.fault);
  std::vector<BalanceBars> bars{bars_of(here.facts, to_line(request.c))};
  Case plain = request.c;
  plain.recipe.layout = {};
  plain.fault = {};
  if (Plan other = stage(plain).plan; other.layout != plan.layout) {
    bars.push_back(bars_of(counted(other, {}).facts, "the same with the " + plain.recipe.layout.name + " layout"));
  }
  std::vector<BalanceBars> below_line = bars;  // a sheet begins with the case's line
  below_line.front().name = "this case";
  Shown shown{{{"Balance", "How the work of the forward falls on the ranks.", {draw(bars)}, {write(below_line)}}},
              [bars] {
                return nlohmann::ordered_json{{"bars", to_json(bars)}};
              }};
  say_refusal(here.refusal, shown);
  return shown;
}

Shown show_counts(const ShowRequest& request) {
  const Counted here = counted(plan_of(request), request.c.fault);
  Shown shown{{{"Counts",
                "What moves, who works, what it takes; exact, from the proof.",
                {draw(here.facts)},
                {write(here.facts)}}},
              [line = to_line(request.c), facts = here.facts] { return counts_json(line, facts); }};
  say_refusal(here.refusal, shown);
  return shown;
}

}  // namespace

std::span<const ShowSubject> show_subjects() {
  static const std::array<ShowSubject, 9> subjects{{
      {.name = "layout",
       .sentence = "which rank owns which tokens",
       .example = "layout \"b1 h4 s64 causal | zigzag ring r4\"",
       .make = show_layout},
      {.name = "mask",
       .sentence = "the score matrix in tiles: full, partial, empty, by rank and step, with pair counts",
       .example = "mask \"b1 h4 s64 causal | striped ring r4\" --step 1",
       .takes_step = true,
       .takes_batch = true,
       .takes_head = true,
       .make = show_mask},
      {.name = "schedule",
       .sentence = "what every rank attends in every step",
       .example = "schedule \"b1 h4 s64 | zigzag double-ring r2x4\"",
       .make = show_schedule},
      {.name = "ring",
       .sentence = "one step: what each rank attends and what moves to whom meanwhile",
       .example = "ring \"b1 h4 s64 causal | zigzag ring r8\" --step 2 --svg ring.svg",
       .takes_step = true,
       .step_by_step = true,
       .make = show_ring},
      {.name = "balance",
       .sentence = "how the work falls on the ranks, beside the contiguous layout",
       .example = "balance \"b1 h4 s64 causal | zigzag ring r8\"",
       .make = show_balance},
      {.name = "counts",
       .sentence = "transfers, bytes per link, pairs per rank and step, balance, peak memory; exact, from the proof",
       .example = "counts \"b1 h8/2 s512 | zigzag ring r8\" --json",
       .make = show_counts},
      {.name = "pair",
       .sentence = "where and when the pair (query, key) is computed, how the block came there, and its weight",
       .example = "pair 10,4 \"b1 h4 s64 causal | zigzag ring r4\" --head 1",
       .takes_batch = true,
       .takes_head = true,
       .takes_pair = true,
       .in_page = false,
       .make = show_pair},
      {.name = "timeline",
       .sentence = "runs the case; what each rank computed, sent, received and waited for, as measured",
       .example = "timeline \"b1 h4 s1024 d64 causal | zigzag ring r4\" --svg timeline.svg",
       .make = show_timeline},
      {.name = "error",
       .sentence = "runs the case; its errors against the oracle, head by row",
       .example = "error \"b1 h4 s64 bf16 causal | zigzag ring r4\" --batch 0",
       .takes_batch = true,
       .make = show_error},
  }};
  return subjects;
}

namespace {

// A page shows so many steps of a ring; the others are like them.
constexpr int steps_in_page = 3;

struct Named {
  std::string name;
  std::function<nlohmann::ordered_json()> json;
};

}  // namespace

Shown show_all(const ShowRequest& request) {
  std::vector<Section> sections;
  std::vector<Named> parts;
  const int steps = std::min(steps_in_page, plan_of(request).schedule.steps());
  for (const ShowSubject& subject : show_subjects()) {
    if (!subject.in_page) continue;
    for (int step = 0; step < (subject.step_by_step ? steps : 1); ++step) {
      ShowRequest one = request;
      if (subject.step_by_step) one.step = step;
      Shown shown = subject.make(one);
      sections.insert(sections.end(), shown.sections.begin(), shown.sections.end());
      parts.push_back({std::string(subject.name), std::move(shown.json)});
    }
  }
  return {std::move(sections), [parts = std::move(parts)] {
            nlohmann::ordered_json json;
            for (const Named& part : parts) json[part.name].push_back(part.json());
            return json;
          }};
}

}  // namespace ringscope
