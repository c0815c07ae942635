// Reads the text form of a plan. Whatever the text is, the result is a plan inside its bounds or an Error with line and
// column; memory is bounded by the limits below and the size of the text.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>

#include "core/case.h"
#include "core/error.h"
#include "core/numbers.h"
#include "core/plan_shape.h"
#include "core/recipe.h"
#include "core/schedule_text.h"
#include "core/text_line.h"

namespace ringscope {

namespace {

constexpr std::int64_t most_slot = std::numeric_limits<std::uint16_t>::max();

class ScheduleReader {
 public:
  explicit ScheduleReader(std::string_view text) : text_(text) {}

  Plan read() {
    next_line("`ringscope schedule 1`").expect("ringscope");
    for (const char* wanted : {"schedule", "1"}) line_->expect(wanted);
    line_->require_end();
    read_problem();
    next_line("`ranks N`").expect("ranks");
    plan_.layout.ranks = static_cast<int>(line_->whole(1, most_ranks, "a number of ranks"));
    line_->require_end();
    read_layout();
    while (line_) {
      read_item();
      advance();
    }
    return std::move(plan_);
  }

 private:
  // Sets line_ to the next line that says something; to nothing at the end of the text.
  void advance() {
    line_.reset();
    while (!line_ && !text_.empty()) {
      const std::size_t end = text_.find('\n');
      raw_ = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      ++number_;
      TextLine line(raw_, number_);
      const std::string_view said = line.rest();
      if (!said.empty() && said.front() != '#') line_.emplace(raw_, number_);
    }
  }
  TextLine& next_line(const char* wanted) {
    advance();
    if (!line_) TextLine({}, number_ + 1).refuse("the end of the file", wanted);
    return *line_;
  }

  void read_problem() {
    next_line("`problem` and the problem field of a case line").expect("problem");
    const std::string_view field = line_->rest();
    try {
      plan_.problem = parse_problem(field);
    } catch (const Error& e) {
      line_->refuse(e.got, e.want, e.fix);
    }
    if (std::max(plan_.problem.len_q, plan_.problem.len_kv) > most_tokens) {
      line_->refuse("more than 2^30 tokens", "lengths up to 2^30 = 1073741824");
    }
  }

  // The lines `rank R q|kv ...`; empty lines before them keep the line numbers right.
  void read_layout() {
    next_line("`rank 0 q begin:count:stride:width ...`");
    const int first = number_;
    std::string lines(static_cast<std::size_t>(first - 1), '\n');
    int last = 0;
    while (line_ && line_->word() == "rank") {
      lines.append(static_cast<std::size_t>(last == 0 ? 0 : number_ - last - 1), '\n').append(raw_).append("\n");
      last = number_;
      advance();
    }
    if (last == 0) line_->refuse("no layout", "`rank 0 q begin:count:stride:width ...`");
    try {
      plan_.layout = parse_layout_text(lines, plan_.layout.ranks);
      plan_.layout.validate(plan_.problem.len_q, plan_.problem.len_kv);
    } catch (const Error& e) {
      const bool placed = e.got.find(" at line ") != std::string::npos;
      if (placed) throw;
      TextLine({}, first).refuse(e.got, e.want, e.fix);
    }
    if (line_) line_.emplace(raw_, number_);  // its first word was read to see that it is no `rank`
  }

  void read_item() {
    static constexpr std::array<std::string_view, 4> words{"step", "move", "attend", "finish"};
    const std::size_t word = line_->choose(words);
    if (word != 0 && plan_.schedule.steps() == 0) line_->refuse("no step yet", "`step 0 forward` first");
    switch (word) {
      case 0:
        return read_step();
      case 1:
        return read_move();
      case 2:
        return read_attend();
      default:
        return read_finish();
    }
  }

  void read_step() {
    static constexpr std::array<std::string_view, 2> passes{"forward", "backward"};
    Schedule& s = plan_.schedule;
    line_->whole(s.steps(), s.steps(), "the number of the next step");
    const Pass pass = line_->choose(passes) == 0 ? Pass::forward : Pass::backward;
    if (s.steps() > 0 && pass < s.step_begin.back().pass)
      line_->refuse("forward", "backward steps after a backward one");
    line_->require_end();
    s.step_begin.push_back({static_cast<std::int64_t>(s.moves.size()), static_cast<std::int64_t>(s.attends.size()),
                            static_cast<std::int64_t>(s.finishes.size()), pass});
  }

  void read_move() {
    static constexpr std::array<std::string_view, 5> options{"slot", "add", "merge", "give", "lag"};
    Move m;
    m.tensor = static_cast<TensorKind>(line_->choose(tensor_names()));
    read_slice(m.tensor, m.blocks, m.heads);
    line_->expect("from");
    m.from = rank();
    line_->expect("to");
    m.to = rank_or_nobody();
    std::array<bool, options.size()> seen{};
    while (!line_->done()) {
      const std::size_t option = once(options, seen);
      if (option == 0) m.slot = number16("a slot");
      if (option == 1) m.combine = Combine::add;
      if (option == 2) m.combine = Combine::merge;
      if (option == 3) m.source = Source::give;
      if (option == 4) m.lag = number16("a lag");
    }
    if (seen[1] && seen[2]) line_->refuse("`add` and `merge`", "one of them");
    plan_.schedule.moves.push_back(m);
  }

  void read_attend() {
    static constexpr std::array<std::string_view, 2> options{"acc-q", "acc-kv"};
    Attend a;
    a.rank = rank();
    line_->expect(name_of(TensorKind::q));
    read_slice(TensorKind::q, a.q, a.q_heads);
    line_->expect(name_of(TensorKind::kv));
    read_slice(TensorKind::kv, a.kv, a.kv_heads);
    std::array<bool, options.size()> seen{};
    while (!line_->done()) {
      std::uint16_t& slot = once(options, seen) == 0 ? a.acc_q : a.acc_kv;
      slot = number16("a slot");
    }
    plan_.schedule.attends.push_back(a);
  }

  void read_finish() {
    static constexpr std::array<std::string_view, 1> options{"slot"};
    Finish f;
    f.rank = rank();
    line_->expect(name_of(TensorKind::q));
    read_slice(TensorKind::q, f.q, f.heads);
    std::array<bool, options.size()> seen{};
    while (!line_->done()) {
      once(options, seen);
      f.slot = number16("a slot");
    }
    plan_.schedule.finishes.push_back(f);
  }

  template <std::size_t n>
  std::size_t once(const std::array<std::string_view, n>& options, std::array<bool, n>& seen) {
    const std::size_t option = line_->choose(options);
    if (seen[option]) line_->refuse("`" + std::string(options[option]) + "` a second time", "each word once");
    seen[option] = true;
    return option;
  }

  static std::span<const std::string_view> tensor_names() {
    static const auto names = [] {
      std::array<std::string_view, tensor_kinds> out;
      for (int t = 0; t < tensor_kinds; ++t) out[static_cast<std::size_t>(t)] = name_of(static_cast<TensorKind>(t));
      return out;
    }();
    return names;
  }

  std::int32_t rank() { return static_cast<std::int32_t>(line_->whole(0, plan_.layout.ranks - 1, "a rank")); }
  std::int32_t rank_or_nobody() {
    const std::string_view text = line_->word();
    if (text == "nobody") return nobody;
    const auto r = whole_number(text);
    if (!r || *r < 0 || *r >= plan_.layout.ranks) {
      line_->refuse("another receiver", "`nobody` or a rank from 0 to " + std::to_string(plan_.layout.ranks - 1));
    }
    return static_cast<std::int32_t>(*r);
  }
  std::uint16_t number16(std::string_view what) { return static_cast<std::uint16_t>(line_->whole(0, most_slot, what)); }

  // `b3` or `b0+4x2`, then `h0-2`.
  void read_slice(TensorKind tensor, Blocks& blocks, Heads& heads) {
    read_blocks(line_->word(), blocks);
    const std::int64_t most = side_of(tensor) == Side::q ? plan_.problem.heads_q : plan_.problem.heads_kv;
    read_heads(line_->word(), most, heads);
  }

  void read_blocks(std::string_view word, Blocks& blocks) {
    const std::int64_t most = plan_.layout.blocks() - 1;
    const auto refuse = [&] {
      line_->refuse("other blocks", "b3, or first + count x stride like b0+4x2, from b0 to b" + std::to_string(most));
    };
    if (word.front() != 'b') refuse();
    const Halves plus = split_at(word.substr(1), '+');
    const Halves times = split_at(plus.behind.value_or("1x1"), 'x');
    const auto first = whole_number(plus.before), count = whole_number(times.before),
               stride = whole_number(times.behind.value_or(""));
    if (!first || !count || !stride || *first < 0 || *count < 1 || *stride < 1) refuse();
    if (*first > most || *count > most + 1 || *stride > most + 1 || *first + (*count - 1) * *stride > most) refuse();
    blocks = {static_cast<std::int32_t>(*first), static_cast<std::int32_t>(*count), static_cast<std::int32_t>(*stride)};
  }

  void read_heads(std::string_view word, std::int64_t most, Heads& heads) {
    const Halves dash = split_at(word.substr(1), '-');
    const auto begin = whole_number(dash.before), end = whole_number(dash.behind.value_or(""));
    if (word.front() != 'h' || !begin || !end || *begin < 0 || *end <= *begin || *end > most) {
      line_->refuse("other heads", "h0-2 (heads 0 and 1), inside h0-" + std::to_string(most));
    }
    heads = {static_cast<std::uint16_t>(*begin), static_cast<std::uint16_t>(*end)};
  }

  std::string_view text_, raw_;
  int number_ = 0;
  std::optional<TextLine> line_;
  Plan plan_;
};

}  // namespace

Plan parse_schedule_text(std::string_view text) {
  return ScheduleReader(text).read();
}

}  // namespace ringscope
