#include "tools/show.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <limits>
#include <memory>

#include "core/error.h"
#include "core/numbers.h"
#include "formats/new_file.h"
#include "pictures/html.h"
#include "pictures/svg.h"
#include "pictures/terminal.h"
#include "tools/arguments.h"
#include "tools/show_subjects.h"
#include "tools/terminal.h"

namespace ringscope {

namespace {

struct ShowArguments {
  std::string line, pair, step, batch, head, svg, html;
  bool json = false;
};

void write_told(const std::string& path, const std::string& text) {
  write_file(path, text);
  std::fprintf(stderr, "wrote %s\n", path.c_str());
}

std::pair<std::int64_t, std::int64_t> parse_pair(const std::string& text) {
  const auto pair = whole_numbers(text);
  if (!pair || pair->size() != 2) {
    throw Error(ErrorKind::bad_request, "the pair `" + text + "`", "QUERY,KEY: two positions from 0", "like 10,4");
  }
  return {pair->front(), pair->back()};
}

std::optional<int> index_argument(const std::string& flag, const std::string& text, std::int64_t count) {
  if (text.empty()) return std::nullopt;
  return static_cast<int>(count_argument(flag, text, 0, count - 1));
}

ShowRequest request_of(const ShowArguments& arguments) {
  ShowRequest request{.c = parse_case(arguments.line)};
  const Problem& problem = request.c.problem;
  if (!arguments.pair.empty()) request.pair = parse_pair(arguments.pair);
  request.step = index_argument("--step", arguments.step, std::numeric_limits<int>::max());
  request.batch = index_argument("--batch", arguments.batch, problem.batch);
  request.head = index_argument("--head", arguments.head, problem.heads_q);
  return request;
}

Sheet sheet_of(const Case& c, const Shown& shown) {
  Sheet sheet;
  sheet.say(to_line(c), Ink::accent);
  for (const Section& section : shown.sections) {
    sheet.skip();
    for (const Sheet& own : section.sheets) sheet.append(own);
  }
  return sheet;
}

std::string json_of(const Case& c, const Shown& shown) {
  nlohmann::ordered_json json{{"case", to_line(c)}};
  json.update(shown.json());
  return json.dump() + "\n";
}

// Into the files asked for; on stdout the JSON, or the text where no file was asked for.
void put(const ShowArguments& arguments, const Case& c, const Shown& shown) {
  if (!arguments.svg.empty()) write_told(arguments.svg, to_svg(shown.sections.front().pictures.front()));
  if (!arguments.html.empty()) write_told(arguments.html, to_html({"Ringscope", to_line(c), shown.sections}));
  if (arguments.json) {
    std::fputs(json_of(c, shown).c_str(), stdout);
  } else if (arguments.svg.empty() && arguments.html.empty()) {
    const Colour colour = wants_colour(stdout) ? Colour::ansi : Colour::none;
    std::fputs(to_text(sheet_of(c, shown), colour).c_str(), stdout);
  }
}

void add_case_and_files(const Command& command, ShowArguments& arguments) {
  command.add_needed_value("CASE", arguments.line, "one quoted case line");
  command.add_value("--html", arguments.html, "one page that needs nothing else, to send to somebody", "FILE");
  command.add_flag("--json", arguments.json, "one object on stdout");
}

void add_subject(const Command& show, const ShowSubject& subject) {
  const std::string name(subject.name), place = subject.takes_pair ? name + " 3,1" : name;
  const Command command =
      show.add(name, std::string(subject.sentence),
               {"ringscope show " + std::string(subject.example),
                "ringscope show " + place + " \"b1 h8/2 s512 d64 bf16 causal | zigzag ring r8\" --html page.html"});
  const auto arguments = std::make_shared<ShowArguments>();
  if (subject.takes_pair) {
    command.add_needed_value("PAIR", arguments->pair, "QUERY,KEY: their positions, from 0");
  }
  add_case_and_files(command, *arguments);
  command.add_value("--svg", arguments->svg, "the picture alone", "FILE");
  if (subject.takes_step) {
    command.add_value("--step", arguments->step, "from 0: the forward, then the backward", "T");
  }
  if (subject.takes_batch) command.add_value("--batch", arguments->batch, "one batch item, from 0", "B");
  if (subject.takes_head) command.add_value("--head", arguments->head, "a query head, from 0", "H");
  command.on_run([&subject, arguments] {
    const ShowRequest request = request_of(*arguments);
    put(*arguments, request.c, subject.make(request));
  });
}

void add_all(const Command& show) {
  const Command command =
      show.add("all", "all of the above but pair, best as one page",
               {"ringscope show all \"b1 h8/2 s512 d64 bf16 causal | zigzag ring r8\" --html page.html",
                "ringscope show all \"causal | usp r2x4 kv-copies\""});
  const auto arguments = std::make_shared<ShowArguments>();
  add_case_and_files(command, *arguments);
  command.on_run([arguments] {
    const ShowRequest request = request_of(*arguments);
    put(*arguments, request.c, show_all(request));
  });
}

}  // namespace

void add_show(const Command& program) {
  const Command show =
      program.add("show", "draws a case: layout, mask, schedule, ring, balance, counts, a pair, a run",
                  {"ringscope show ring \"b1 h8/2 s512 d64 bf16 causal | zigzag ring r8\" --step 1",
                   "ringscope show all \"b1 h8/2 s512 d64 bf16 causal | zigzag ring r8\" --html page.html"});
  for (const ShowSubject& subject : show_subjects()) add_subject(show, subject);
  add_all(show);
}

}  // namespace ringscope
