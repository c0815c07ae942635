#include "formats/dump_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "core/case.h"
#include "core/error.h"
#include "core/numbers.h"
#include "formats/tensor_file.h"
#include "formats/utf8.h"

namespace ringscope {

namespace {

// What rounding explains: sums in another order, some tens of roundings of the coarser type at the row's largest value.
constexpr double roundings = 16;

struct Step {
  int step = -1, rank = -1, q_block = -1, kv_block = -1;
};

// t1.r2.o, t1.r2.q0.o, t1.r2.b0.dk; nothing for other names.
std::optional<Step> step_of(const std::string& name) {
  Step out;
  std::string_view rest = name;
  const auto number = [&](char letter) -> std::optional<int> {
    if (rest.empty() || rest[0] != letter) return std::nullopt;
    const std::size_t dot = rest.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto n = whole_number(rest.substr(1, dot - 1));
    if (!n || *n < 0 || *n > 1 << 30) return std::nullopt;
    rest.remove_prefix(dot + 1);
    return static_cast<int>(*n);
  };
  const auto t = number('t'), r = t ? number('r') : std::nullopt;
  if (!r) return std::nullopt;
  out.step = *t, out.rank = *r;
  if (const auto q = number('q')) out.q_block = *q;
  if (const auto b = number('b')) out.kv_block = *b;
  return out;
}

// Any tensor, seen as [B, H, S, D]; missing axes are 1.
struct Named {
  ElementType type = ElementType::f32;
  std::vector<std::int64_t> shape;
  Tensor values;
};

Shape shape_of(const std::string& name, const std::vector<std::int64_t>& shape) {
  Shape s{1, 1, 1, 1};
  std::int64_t* const axes[] = {&s.batch, &s.heads, &s.rows, &s.dim};
  if (shape.size() > 4) throw Error(ErrorKind::bad_file, quoted_name(name) + " with more than four axes", "four");
  const bool per_row = shape.size() == 3;  // lse [B, H, S]
  for (std::size_t n = 0; n < shape.size(); ++n)
    *axes[n + (per_row || shape.size() == 4 ? 0 : 4 - shape.size())] = shape[n];
  return s;
}

Named from_file(const FileTensor& t) {
  Named out{t.type, t.shape, Tensor(shape_of(t.name, t.shape))};
  t.read(0, out.values.values);
  return out;
}

Named from_memory(const TensorToWrite& t) {
  Named out{t.type, t.shape, Tensor(shape_of(t.name, t.shape))};
  out.values.values = t.values;
  return out;
}

Named from_dump(const DumpTensor& t) {
  return {t.type, {t.shape.batch, t.shape.heads, t.shape.rows, t.shape.dim}, t.read()};
}

using Tensors = std::map<std::string, Named>;

constexpr std::string_view input_names[] = {"q", "k", "v", "do"};
constexpr std::string_view output_names[] = {"o", "lse", "dq", "dk", "dv"};

// What read_dump reconciles (axes, layouts, shards, LSE bases), and the step tensors as they lie in the files.
Tensors read_tensors(std::span<const std::string> paths, const DumpWords& words) {
  Tensors out;
  std::vector<TensorFile> files;
  for (const std::string& path : paths) files.push_back(TensorFile::read(path));
  const bool is_dump = files[0].find("q") != nullptr && files[0].find("k") != nullptr && files[0].find("v") != nullptr;
  if (is_dump) {
    const Dump dump = read_dump(paths, words);
    out["q"] = from_dump(dump.q), out["k"] = from_dump(dump.k), out["v"] = from_dump(dump.v);
    if (dump.d_o) out["do"] = from_dump(*dump.d_o);
    for (int n = 0; n < output_kinds; ++n) {
      const auto& t = dump.outputs[static_cast<std::size_t>(n)];
      if (t) out[std::string(name_of(static_cast<Output>(n)))] = from_dump(*t);
    }
  }
  for (const TensorFile& file : files) {
    for (const FileTensor& t : file.tensors()) {
      if (is_dump && !step_of(t.name)) continue;
      if (!out.emplace(t.name, from_file(t)).second) {
        throw Error(ErrorKind::bad_file, quoted_name(t.name) + " in more than one file", "each step tensor once");
      }
    }
  }
  return out;
}

double coarser_roundoff(const Named& a, const Named& b) {
  return std::max(unit_roundoff(a.type), unit_roundoff(b.type));
}

double least_error(const std::string& name, const StepTolerance& tolerance) {
  for (int n = 0; n < output_kinds; ++n) {
    if (name.ends_with("." + std::string(name_of(static_cast<Output>(n))))) {
      return tolerance.error[static_cast<std::size_t>(n)];
    }
  }
  return 0;
}

TensorDiff diff(const std::string& name, const Named& a, const Named& b, const StepTolerance& tolerance = {}) {
  TensorDiff out{.name = name};
  if (const auto step = step_of(name)) {
    out.step = step->step, out.rank = step->rank, out.q_block = step->q_block, out.kv_block = step->kv_block;
  }
  const Shape& s = a.values.shape;
  double largest = 0;
  for (const double x : a.values.values) largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
  if (name.ends_with("lse"))
    largest = std::max(largest, 1.0);  // an absolute error there is a relative error of weights
  const double explained =
      std::max(roundings * std::max(coarser_roundoff(a, b), tolerance.roundoff) * std::max(largest, 1e-300),
               least_error(name, tolerance));
  bool found = false;
  for (std::int64_t n = 0; n < s.batch * s.heads * s.rows; ++n) {
    bool unlike_row = false, wrong_row = false;
    for (std::int64_t d = 0; d < s.dim; ++d) {
      const auto at = static_cast<std::size_t>(n * s.dim + d);
      const double x = a.values.values[at], y = b.values.values[at];
      out.numbers += std::isfinite(x) && std::isfinite(y) ? 1 : 0;
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      unlike_row = true;
      ++out.unlike;
      if (!std::isfinite(x) || !std::isfinite(y)) {
        ++out.nonfinite;
        wrong_row = true;
        continue;
      }
      const double error = std::abs(x - y);
      out.max_abs = std::max(out.max_abs, error);
      out.ratio = std::max(out.ratio, error / explained);
      wrong_row = wrong_row || error > explained;
    }
    if (found || !(wrong_row || (unlike_row && out.row < 0))) continue;
    found = wrong_row;
    out.row = n % s.rows, out.head = n / s.rows % s.heads, out.batch = n / s.rows / s.heads;
  }
  return out;
}

// The recipe of an exported file: steps of different recipes have nothing in common.
std::optional<std::string> recipe_of(std::span<const std::string> paths) {
  const TensorFile file = TensorFile::read(paths[0]);
  const auto line = file.metadata().find("case");
  if (line == file.metadata().end()) return std::nullopt;
  Case c = parse_case(line->second);
  Case plain;
  plain.problem = c.problem, plain.recipe = c.recipe;
  return to_line(plain);
}

void drop_steps(Tensors& tensors) {
  std::erase_if(tensors, [](const auto& named) { return step_of(named.first).has_value(); });
}

// Inputs first, then steps as they happened, then outputs, then the rest by name.
std::vector<std::string> in_order(const Tensors& tensors) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  const auto take = [&](const std::string& name) {
    if (tensors.contains(name) && taken.insert(name).second) names.push_back(name);
  };
  for (const std::string_view name : input_names) take(std::string(name));
  std::vector<std::pair<Step, std::string>> steps;
  for (const auto& [name, tensor] : tensors) {
    if (const auto step = step_of(name)) steps.push_back({*step, name});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.step, a.first.rank) < std::pair(b.first.step, b.first.rank);
  });
  for (const auto& [step, name] : steps) take(name);
  for (const std::string_view name : output_names) take(std::string(name));
  for (const auto& [name, tensor] : tensors) take(name);
  return names;
}

std::string text_of_shape(const Named& t) {
  return "[" + text_of(t.shape) + "]";
}

void note_missing(const Tensors& in, const Tensors& from, const char* who, std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const std::string& name : in_order(in)) {
    if (!from.contains(name)) names.push_back(name);
  }
  if (names.empty()) return;
  std::string note = std::to_string(names.size()) + " tensors only in " + who + ": ";
  for (std::size_t n = 0; n < names.size() && n < 5; ++n) note += (n > 0 ? ", " : "") + printable(names[n], 40);
  notes.push_back(note + (names.size() > 5 ? ", ..." : ""));
}

Tensors by_name(std::span<const TensorToWrite> tensors) {
  Tensors out;
  for (const TensorToWrite& t : tensors) out[t.name] = from_memory(t);
  return out;
}

// Those that are in both.
std::vector<TensorDiff> diff_all(const Tensors& given, const Tensors& wanted, const StepTolerance& tolerance) {
  std::vector<TensorDiff> out;
  for (const std::string& name : in_order(given)) {
    const auto want = wanted.find(name);
    if (want == wanted.end()) continue;
    const Named& x = given.at(name);
    if (want->second.shape != x.shape) {
      throw Error(ErrorKind::bad_file, quoted_name(name) + " of shape " + text_of_shape(x),
                  text_of_shape(want->second));
    }
    out.push_back(diff(name, want->second, x, tolerance));
  }
  return out;
}

}  // namespace

const TensorDiff* DumpDiff::first() const {
  const auto it = std::find_if(tensors.begin(), tensors.end(), [](const TensorDiff& d) { return d.differs(); });
  return it == tensors.end() ? nullptr : &*it;
}

Verdict DumpDiff::verdict() const {
  if (first() != nullptr) return Verdict::failed;
  return mistrust().empty() ? Verdict::passed : Verdict::mistrusted;
}

std::string DumpDiff::mistrust() const {
  if (first() != nullptr) return {};
  bool outputs = false;
  for (const TensorDiff& d : tensors) {
    if (!d.is_input && d.numbers > 0) return {};
    outputs = outputs || !d.is_input;
  }
  return outputs ? "no element of an output is finite in both, so nothing was compared"
                 : "no output is in both, so nothing but inputs was compared";
}

DumpDiff compare_dumps(std::span<const std::string> reference, std::span<const std::string> mine,
                       const DumpWords& words) {
  Tensors a = read_tensors(reference, words), b = read_tensors(mine, words);
  DumpDiff out;
  const auto mine_by = recipe_of(mine), reference_by = recipe_of(reference);
  if (mine_by && reference_by && *mine_by != *reference_by) {
    drop_steps(a), drop_steps(b);
    out.notes.push_back("the recipes differ, so steps are left out: " + *reference_by + " and " + *mine_by);
  }
  for (const std::string& name : in_order(a)) {
    const auto other = b.find(name);
    if (other == b.end()) continue;
    const Named& x = a.at(name);
    const Named& y = other->second;
    if (x.shape != y.shape) {
      throw Error(ErrorKind::bad_file,
                  quoted_name(name) + " of shape " + text_of_shape(x) + " in " + reference[0] + " and " +
                      text_of_shape(y) + " in " + mine[0],
                  "the same shape in both", "say --axes, --lse-axes or --layout where the files differ in those");
    }
    TensorDiff d = diff(name, x, y);
    d.is_input = std::find(std::begin(input_names), std::end(input_names), name) != std::end(input_names);
    if (d.numbers == 0) out.notes.push_back(quoted_name(name) + " holds no number that is finite in both");
    if (d.is_input && d.differs()) {
      throw Error(ErrorKind::bad_file,
                  "`" + name + "` that differs, first at batch " + std::to_string(d.batch) + ", head " +
                      std::to_string(d.head) + ", row " + std::to_string(d.row),
                  "the same inputs in both", "compare runs of the same data, or `check` each alone");
    }
    out.tensors.push_back(std::move(d));
  }
  if (out.tensors.empty())
    throw Error(ErrorKind::bad_file, "no tensor with the same name in both", "two dumps of one run");
  note_missing(a, b, "REF", out.notes);
  note_missing(b, a, "MINE", out.notes);
  return out;
}

std::vector<TensorDiff> compare_steps(std::span<const std::string> dump, std::span<const TensorToWrite> right,
                                      const StepTolerance& tolerance) {
  const Tensors wanted = by_name(right);
  Tensors given;
  for (const std::string& path : dump) {
    const TensorFile file = TensorFile::read(path);
    for (const FileTensor& t : file.tensors()) {
      if (wanted.contains(t.name)) given[t.name] = from_file(t);
    }
  }
  return diff_all(given, wanted, tolerance);
}

std::vector<TensorDiff> compare_steps(std::span<const TensorToWrite> given, std::span<const TensorToWrite> right,
                                      const StepTolerance& tolerance) {
  return diff_all(by_name(given), by_name(right), tolerance);
}

}  // namespace ringscope
