// `ringscope compare`: two dumps of the same tensors; the first step, rank and row that differ.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "formats/dump_diff.h"
#include "formats/dump_set.h"
#include "formats/new_file.h"
#include "pictures/html.h"
#include "pictures/words.h"
#include "tools/arguments.h"
#include "tools/check_maps.h"
#include "tools/commands.h"
#include "tools/terminal.h"

namespace ringscope {

namespace {

struct CompareArguments {
  std::vector<std::string> dumps;
  DumpWords words;
  std::string report;
  bool json = false;
};

std::string place_of(const TensorDiff& d) {
  std::string out;
  const auto say = [&](const char* what, std::int64_t n) {
    if (n >= 0) out += (out.empty() ? "" : ", ") + std::string(what) + " " + std::to_string(n);
  };
  say("step", d.step), say("rank", d.rank), say("query block", d.q_block), say("KV block", d.kv_block);
  say("batch", d.batch), say("head", d.head), say(d.step >= 0 ? "local row" : "row", d.row);
  return out;
}

nlohmann::ordered_json json_of(const TensorDiff& d) {
  const auto number = [](double x) { return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(); };
  const auto known = [](std::int64_t n) { return n < 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(n); };
  return {{"tensor", d.name},        {"max_abs", number(d.max_abs)}, {"ratio", number(d.ratio)},
          {"unlike", d.unlike},      {"nonfinite", d.nonfinite},     {"step", known(d.step)},
          {"rank", known(d.rank)},   {"q_block", known(d.q_block)},  {"kv_block", known(d.kv_block)},
          {"batch", known(d.batch)}, {"head", known(d.head)},        {"row", known(d.row)}};
}

void print_json(const DumpDiff& diff) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const TensorDiff& d : diff.tensors) tensors.push_back(json_of(d));
  const TensorDiff* first = diff.first();
  const nlohmann::ordered_json json = {{"verdict", name_of(diff.verdict())},
                                       {"reason", diff.mistrust()},
                                       {"first", first == nullptr ? nlohmann::ordered_json() : json_of(*first)},
                                       {"tensors", tensors},
                                       {"notes", diff.notes}};
  fmt::print("{}\n", json.dump());
}

void print_text(const DumpDiff& diff) {
  const TensorDiff* first = diff.first();
  std::size_t wrong = 0, alike = 0;
  for (const TensorDiff& d : diff.tensors) {
    wrong += d.differs() ? 1 : 0;
    alike += d.unlike == 0 ? 1 : 0;
  }
  fmt::print("{}  {} tensors: {} with the same values, {} within rounding, {} beyond\n",
             inked(name_of(diff.verdict()), diff.verdict() == Verdict::passed ? Emphasis::good : Emphasis::bad, stdout),
             diff.tensors.size(), alike, diff.tensors.size() - alike - wrong, wrong);
  if (first != nullptr) {
    fmt::print("  first: {} at {}\n", first->name, place_of(*first));
    if (first->nonfinite > 0) fmt::print("  {} elements are finite in one alone\n", first->nonfinite);
    fmt::print("  largest error {:.3g}, {:.3g} x what rounding explains\n", first->max_abs, first->ratio);
  }
  if (!diff.mistrust().empty()) fmt::print("  {}\n", diff.mistrust());
  for (const std::string& note : diff.notes) fmt::print("  note: {}\n", note);
}

// Maps of the steps, and each tensor that differs, in a sentence.
std::string page_of(const DumpDiff& diff, const std::vector<std::string>& dumps) {
  const TensorDiff* first = diff.first();
  Page page{fmt::format("{}: {} beside {}", name_of(diff.verdict()), dumps[1], dumps[0]), "", {}};
  Section verdict{.heading = "Verdict"};
  verdict.words = first == nullptr ? "No tensor differs by more than rounding explains."
                                   : fmt::format("First: {} at {}, {:.3g} x what rounding explains.", first->name,
                                                 place_of(*first), first->ratio);
  if (!diff.mistrust().empty()) verdict.words = "Mistrusted: " + diff.mistrust() + ".";
  for (const std::string& note : diff.notes) verdict.words += " Note: " + note + ".";
  page.sections.push_back(std::move(verdict));
  std::vector<TensorDiff> steps;
  for (const TensorDiff& d : diff.tensors) {
    if (d.step >= 0) steps.push_back(d);
  }
  if (!steps.empty()) {
    Section section{.heading = "Rank by step",
                    .words = "Each cell the largest difference over what rounding explains."};
    section.pictures.push_back(draw(step_maps(steps), "Differences by rank and step", "Ranks down, steps across."));
    page.sections.push_back(std::move(section));
  }
  std::string table;
  for (const TensorDiff& d : diff.tensors) {
    if (d.step < 0)
      table += fmt::format("{}: largest {:.3g}, {:.3g} x what rounding explains. ", d.name, d.max_abs, d.ratio);
  }
  if (!table.empty()) page.sections.push_back({.heading = "Inputs and outputs", .words = table});
  return to_html(page);
}

void run(const CompareArguments& arguments, ExitCode& exit) {
  if (arguments.dumps.size() != 2) {
    throw Error(ErrorKind::bad_request, counted(std::ssize(arguments.dumps), "dump"), "two: REF and MINE",
                "shards go by the name they share: NAME.safetensors stands for NAME.rank0of4.safetensors and so on");
  }
  const DumpDiff diff =
      compare_dumps(files_of_dump(arguments.dumps[0]), files_of_dump(arguments.dumps[1]), arguments.words);
  if (!arguments.report.empty()) write_file(arguments.report, page_of(diff, arguments.dumps));
  arguments.json ? print_json(diff) : print_text(diff);
  exit.value = diff.verdict() == Verdict::passed ? 0 : 1;
}

}  // namespace

void add_compare(const Command& program, ExitCode& exit) {
  const Command command =
      program.add("compare", "finds the first step, rank and row where two dumps of the same tensors differ",
                  {"ringscope compare ring.safetensors mine.safetensors",
                   "ringscope compare ring.safetensors mine.npz --axes BSHD --json"});
  const auto arguments = std::make_shared<CompareArguments>();
  command.add_values("DUMP", arguments->dumps, "REF, then MINE: a file each, or the shared name of shards");
  command.add_value("--axes", arguments->words.axes, "BHSD or BSHD, where the files do not say");
  command.add_value("--lse-axes", arguments->words.lse_axes, "BHS or BSH");
  command.add_value("--lse-base", arguments->words.lse_base, "e or 2");
  command.add_value("--layout", arguments->words.layout, "like \"zigzag 4\"");
  command.add_value("--report", arguments->report, "writes a page with a map of ranks by steps", "OUT.html");
  command.add_flag("--json", arguments->json, "one object on stdout");
  command.on_run([arguments, &exit] { run(*arguments, exit); });
}

}  // namespace ringscope
