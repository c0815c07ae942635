#include "tools/show.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>

#include "core/error.h"
#include "pictures/html.h"
#include "pictures/svg.h"
#include "pictures/terminal.h"
#include "tools/show_subjects.h"

namespace ringscope {

namespace {

// What the command line says of one subject.
struct ShowWords {
  std::string line, pair, svg_file, html_file;
  std::optional<int> step, batch, head;
  bool json = false;
};

// https://no-color.org
Colour terminal_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const bool plain = isatty(STDOUT_FILENO) == 0 || (no_colour != nullptr && *no_colour != '\0');
  return plain ? Colour::none : Colour::ansi;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Error(ErrorKind::bad_request, "cannot write " + path, "a path in a folder that may be written");
  std::cerr << "wrote " << path << "\n";
}

std::pair<std::int64_t, std::int64_t> parse_pair(const std::string& words) {
  std::int64_t query = -1, key = -1;
  char comma = 0, more = 0;
  std::istringstream in(words);
  if (!(in >> query >> comma >> key) || comma != ',' || in >> more || query < 0 || key < 0) {
    throw Error(ErrorKind::bad_request, "the pair " + words, "QUERY,KEY: two positions from 0, such as 10,4");
  }
  return {query, key};
}

void check_range(std::string_view what, std::optional<int> value, std::int64_t count) {
  if (!value || (*value >= 0 && *value < count)) return;
  throw Error(ErrorKind::bad_request, "--" + std::string(what) + " " + std::to_string(*value),
              "a " + std::string(what) + " from 0 to " + std::to_string(count - 1));
}

ShowRequest request_of(const ShowWords& words) {
  ShowRequest request{parse_case(words.line), words.step, words.batch, words.head, {}};
  if (!words.pair.empty()) request.pair = parse_pair(words.pair);
  check_range("batch", words.batch, request.c.problem.batch);
  check_range("head", words.head, request.c.problem.heads_q);
  return request;
}

Page page_of(const ShowRequest& request, const Shown& shown) {
  const std::string line = to_line(request.c);
  return {"Ringscope", line, shown.sections};
}

void print(const ShowRequest& request, const Shown& shown, const ShowWords& words) {
  if (!words.svg_file.empty()) write_file(words.svg_file, to_svg(shown.sections.front().pictures.front()));
  if (!words.html_file.empty()) write_file(words.html_file, to_html(page_of(request, shown)));
  if (words.json) {
    nlohmann::ordered_json out{{"case", to_line(request.c)}};
    out.update(shown.json);
    std::cout << out.dump() << "\n";
    return;
  }
  if (!words.svg_file.empty() || !words.html_file.empty()) return;
  Sheet sheet;
  sheet.say(to_line(request.c), Ink::accent);
  for (const Section& section : shown.sections) {
    sheet.skip();
    for (const Sheet& own : section.sheets) sheet.append(own);
  }
  std::cout << to_text(sheet, terminal_colour());
}

std::string examples(std::string_view first, std::string_view second) {
  return "Examples:\n  ringscope show " + std::string(first) + "\n  ringscope show " + std::string(second);
}

CLI::App& add_subject(CLI::App& show, std::string_view name, std::string_view sentence, std::string_view example,
                      const std::shared_ptr<ShowWords>& words) {
  CLI::App& command = *show.add_subcommand(std::string(name), std::string(sentence));
  command.footer(examples(example, std::string(name) + (name == "pair" ? " 3,1" : "") +
                                       " 'b1 h4 s64 causal | zigzag ring r4' --html page.html"));
  command.add_option("--svg", words->svg_file, "write the picture to this file")->option_text("FILE");
  command.add_option("--html", words->html_file, "write one page that needs nothing else to this file")
      ->option_text("FILE");
  command.add_flag("--json", words->json, "one JSON object on stdout, nothing else");
  return command;
}

void add_case(CLI::App& command, const std::shared_ptr<ShowWords>& words) {
  command.add_option("CASE", words->line, "the case line, quoted: ringscope explain says what it can hold")
      ->required()
      ->option_text(" ");
}

}  // namespace

CLI::App& add_show(CLI::App& program) {
  CLI::App& show = *program.add_subcommand("show", "draw a case: layout, mask, ring, schedule, balance, counts, runs");
  show.require_subcommand(1);
  show.footer(examples("ring 'b1 h4 s64 causal | zigzag ring r8' --step 1",
                       "all 'b1 h4 s64 causal | zigzag ring r8' --html page.html"));
  for (const ShowSubject& subject : show_subjects()) {
    const auto words = std::make_shared<ShowWords>();
    CLI::App& command = add_subject(show, subject.name, subject.sentence, subject.example, words);
    if (subject.takes_pair) {
      command.add_option("PAIR", words->pair, "QUERY,KEY: two positions from 0, such as 10,4")
          ->required()
          ->option_text(" ");
    }
    add_case(command, words);
    if (subject.takes_step)
      command.add_option("--step", words->step, "from 0: forward, then backward")->option_text("T");
    if (subject.takes_batch) command.add_option("--batch", words->batch, "one batch item, from 0")->option_text("B");
    if (subject.takes_head) command.add_option("--head", words->head, "a query head, from 0")->option_text("H");
    command.callback([&subject, words] {
      const ShowRequest request = request_of(*words);
      print(request, subject.make(request), *words);
    });
  }
  const auto words = std::make_shared<ShowWords>();
  CLI::App& all = add_subject(show, "all", "everything above but pair, best as one page",
                              "all 'b1 h4 s64 causal | zigzag ring r4' --html page.html", words);
  all.remove_option(all.get_option("--svg"));
  add_case(all, words);
  all.callback([words] {
    const ShowRequest request = request_of(*words);
    print(request, show_all(request), *words);
  });
  return show;
}

}  // namespace ringscope
