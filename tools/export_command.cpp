// `ringscope export`: one run as safetensors, for people who compare an own implementation step by step.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/case.h"
#include "core/error.h"
#include "formats/export.h"
#include "formats/tensor_file.h"
#include "pictures/words.h"
#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/stage.h"

namespace ringscope {

namespace {

struct ExportArguments {
  std::vector<std::string> words;
  bool shards = false, steps = false;
};

void require_safetensors(const std::string& path) {
  if (path.ends_with(".safetensors")) return;
  throw Error(ErrorKind::bad_request, "`" + path + "`", "a file name that ends in .safetensors");
}

// NAME.safetensors -> NAME.rank2of4.safetensors
std::string shard_path(const std::string& path, int rank, int ranks) {
  std::filesystem::path out(path);
  out.replace_extension("rank" + std::to_string(rank) + "of" + std::to_string(ranks) + ".safetensors");
  return out.string();
}

bool is_of_rank(const std::string& name, int rank) {
  return name.find(".r" + std::to_string(rank) + ".") != std::string::npos;
}

void say_written(const std::string& path, std::size_t tensors) {
  fmt::print("{}  {} tensors\n", path, tensors);
}

void write_shards(const Case& c, const Plan& plan, const Inputs& inputs, const Outputs& outputs,
                  const std::vector<TensorToWrite>& steps, const std::string& path) {
  for (int rank = 0; rank < plan.layout.ranks; ++rank) {
    std::vector<TensorToWrite> tensors = shard_tensors(plan, rank, inputs, outputs);
    for (const TensorToWrite& t : steps) {
      if (is_of_rank(t.name, rank)) tensors.push_back(t);
    }
    const std::string to = shard_path(path, rank, plan.layout.ranks);
    write_safetensors(to, tensors, shard_metadata(c, plan.layout, rank));
    say_written(to, tensors.size());
  }
}

Footprint footprint_of_export(const Plan& plan, const ExportArguments& arguments) {
  Footprint out = footprint_of_run(plan.problem);
  out.written = (out.inputs + out.outputs) / (arguments.shards ? plan.layout.ranks : 1);  // one file at a time
  if (!arguments.steps) return out;
  out.snapshots = snapshot_bytes(plan);
  out.written += out.snapshots;
  return out;
}

void run(const ExportArguments& arguments) {
  if (arguments.words.size() != 2) {
    throw Error(ErrorKind::bad_request, counted(std::ssize(arguments.words), "word"), "a case and a file",
                "quote the case: ringscope export \"causal | zigzag ring r4\" out.safetensors");
  }
  const Case c = parse_case(arguments.words[0]);
  const std::string& path = arguments.words[1];
  require_safetensors(path);
  const Planted staged = stage(c);
  require_room(footprint_of_export(staged.plan, arguments));
  const Inputs inputs = filled(c);
  RunOptions options;
  if (arguments.steps) options.record = RunOptions::Record::snapshots;
  const RunResult result = run(c, staged, inputs, options);
  std::vector<TensorToWrite> steps;
  if (arguments.steps) steps = step_tensors(staged.plan, result.log);
  if (arguments.shards) {
    write_shards(c, staged.plan, inputs, result.outputs, steps, path);
    return;
  }
  std::vector<TensorToWrite> tensors = whole_tensors(c.problem, inputs, result.outputs);
  std::move(steps.begin(), steps.end(), std::back_inserter(tensors));
  write_safetensors(path, tensors, export_metadata(c));
  say_written(path, tensors.size());
}

}  // namespace

void add_export(const Command& program) {
  const Command command =
      program.add("export", "writes a run's inputs and outputs, and each rank's after each step, as tensors",
                  {"ringscope export \"causal | zigzag ring r4\" ring.safetensors --steps",
                   "ringscope export \"h8/2 bf16 causal | striped ring r4\" ring.safetensors --shards"});
  const auto arguments = std::make_shared<ExportArguments>();
  command.add_values("CASE", arguments->words, "one quoted case line, then OUT.safetensors");
  command.add_flag("--shards", arguments->shards, "one file per rank: OUT.rank0of4.safetensors, ...");
  command.add_flag("--steps", arguments->steps, "with what each rank holds after each step: t1.r2.o, t1.r2.b0.dk, ...");
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace ringscope
