#include "formats/dump.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/case.h"
#include "core/error.h"
#include "core/fill.h"
#include "core/numbers.h"
#include "formats/dump_names.h"
#include "formats/dump_notes.h"
#include "formats/dump_rows.h"
#include "formats/dump_words.h"
#include "formats/tensor_file.h"
#include "formats/utf8.h"

namespace ringscope {

namespace {

constexpr double log_of_2 = 0.693147180559945309417232121458176568;

[[noreturn]] void refuse(std::string got, std::string want, std::string fix = {}) {
  throw Error(ErrorKind::bad_file, std::move(got), std::move(want), std::move(fix));
}

using File = std::shared_ptr<const TensorFile>;

std::optional<std::string> metadata(const File& file, const std::string& key) {
  const auto it = file->metadata().find(key);
  if (it == file->metadata().end()) return std::nullopt;
  return it->second;
}

class DumpReader {
 public:
  DumpReader(std::span<const std::string> paths, const DumpWords& words) : words_(words) {
    if (paths.empty()) throw Error(ErrorKind::bad_request, "no file", "one file, or one per rank");
    for (const std::string& path : paths) files_.push_back(std::make_shared<TensorFile>(TensorFile::read(path)));
    dump_.paths.assign(paths.begin(), paths.end());
    order_by_rank();
  }

  Dump read() {
    dump_.source = printable(metadata(files_[0], "source").value_or(""));
    dump_.empty_lse = words_.empty_lse.value_or(dump_.empty_lse);
    dump_.empty_o = words_.empty_o.value_or(dump_.empty_o);
    lse_base_ = read_lse_base(said("lse_base", words_.lse_base, "e"));
    axes_ = read_axes(said("axes", words_.axes, "BHSD"));
    lse_axes_ = read_lse_axes(said("lse_axes", words_.lse_axes, "BHS"));
    read_shapes();
    read_case();
    read_problem();
    read_layout();
    read_tensors();
    dump_.problem.validate();
    note_what_was_assumed();
    note_what_is_not_read();
    for (std::string& note : idle_flags(dump_, words_)) dump_.notes.push_back(std::move(note));
    return std::move(dump_);
  }

 private:
  // Flags win over metadata; metadata must say the same in every file.
  Said said(const std::string& key, const std::optional<std::string>& flag, std::string absent) const {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    if (flag) return {*flag, "--" + name, true};
    const auto first = metadata(files_[0], key);
    for (const File& file : files_) {
      if (metadata(file, key) == first) continue;
      refuse("metadata `" + key + "` that differs between " + files_[0]->path() + " and " + file->path(),
             "one word for all ranks", "say --" + name);
    }
    if (!first) return {std::move(absent), "the default"};
    return {*first, "metadata `" + key + "` of " + files_[0]->path()};
  }
  bool is_said(const std::string& key, const std::optional<std::string>& flag) const {
    return flag || metadata(files_[0], key);
  }
  // Of the problem and its layout: beside a case, which knows more words, metadata repeat what it says.
  bool is_asked(const std::string& key, const std::optional<std::string>& flag) const {
    return flag || (!case_ && metadata(files_[0], key));
  }

  int rank_of(const File& file) const {
    const auto rank = metadata(file, "rank"), ranks = metadata(file, "ranks");
    if (!rank || !ranks) {
      refuse(file->path() + " without metadata `rank` and `ranks`", "both in each of several files",
             "give one file, or the shards of one run");
    }
    const auto r = whole_number(*rank), n = whole_number(*ranks);
    if (!r || !n || *r < 0 || *r >= *n) {
      refuse("rank " + printable(*rank) + " of " + printable(*ranks) + " in " + file->path(), "0 <= rank < ranks");
    }
    if (*n != static_cast<std::int64_t>(files_.size())) {
      refuse(std::to_string(files_.size()) + " files of a run with " + std::to_string(*n) + " ranks",
             "one file for each rank");
    }
    return static_cast<int>(*r);
  }

  void order_by_rank() {
    sharded_ = files_.size() > 1 || metadata(files_[0], "rank").has_value();
    if (!sharded_) return;
    std::vector<File> ordered(files_.size());
    for (const File& file : files_) {
      File& place = ordered[static_cast<std::size_t>(rank_of(file))];
      if (place) refuse("rank " + std::to_string(rank_of(file)) + " twice", "each rank once");
      place = file;
    }
    files_ = std::move(ordered);
  }

  // The whole tensor's shape: rows are summed over the shards.
  Shape whole_shape(const char* name, Axes axes, int dimensions) const {
    Shape whole;
    for (const File& file : files_) {
      const Shape part = natural_shape(require_tensor(file, name), axes, dimensions, rows_of_a_file(), file->path());
      if (whole.batch == 0) {
        whole = part;
        continue;
      }
      const Shape alike{part.batch, part.heads, whole.rows, part.dim};
      if (alike != whole) {
        refuse(std::string(name) + " with " + text_of(part) + " in " + file->path() + " and another shape in " +
                   files_[0]->path(),
               "shards that differ in rows alone: " + text_of(whole) + " but for S");
      }
      whole.rows += part.rows;
    }
    if (whole.rows == 0) refuse(std::string(name) + " without rows in all shards", "at least one row");
    return whole;
  }
  // Says so where another name is meant.
  static const FileTensor& require_tensor(const File& file, const char* name) {
    if (file->find(name) == nullptr) {
      std::string fix = misnamed(*file, name);
      if (!fix.empty()) refuse("no " + std::string(name) + " in " + file->path(), "a file that has it", std::move(fix));
    }
    return file->require(name);
  }
  Rows rows_of_a_file() const { return sharded_ ? Rows::maybe_none : Rows::some; }

  void read_shapes() {
    const Shape q = whole_shape("q", axes_, 4), k = whole_shape("k", axes_, 4), v = whole_shape("v", axes_, 4);
    const std::string got = "q with " + text_of(q) + ", k with " + text_of(k) + ", v with " + text_of(v) + " in " +
                            files_[0]->path() + (files_.size() > 1 ? " and the other shards" : "");
    const auto require = [&](bool holds, const char* want) {
      if (!holds) refuse(got, want, "if the axes are others, say --axes BSHD or --axes BHSD");
    };
    require(k.batch == q.batch && v.batch == q.batch, "q, k and v of the same batch");
    require(k.heads == v.heads && k.rows == v.rows, "k and v with the same heads and rows");
    require(k.dim == q.dim, "q and k with the same head dim");
    require(q.heads % k.heads == 0, "query heads that are a multiple of the KV heads");
    Problem& p = dump_.problem;
    p.batch = q.batch, p.heads_q = q.heads, p.heads_kv = k.heads;
    p.len_q = q.rows, p.len_kv = k.rows, p.dim_qk = q.dim, p.dim_v = v.dim;
    p.type = files_[0]->require("q").type;
    for (const char* name : {"k", "v"}) {
      const ElementType type = files_[0]->require(name).type;
      if (unit_roundoff(type) > unit_roundoff(p.type)) p.type = type;
    }
    p.direction = Direction::forward;
  }

  void read_case() {
    const auto line = metadata(files_[0], "case");
    if (!line) return;
    case_ = parse_case(*line);
    Problem p = case_->problem;
    const Problem& shapes = dump_.problem;
    if (p.shape_q() != shapes.shape_q() || p.shape_k() != shapes.shape_k() || p.shape_v() != shapes.shape_v()) {
      refuse("q with " + text_of(shapes.shape_q()) + ", k with " + text_of(shapes.shape_k()) + ", v with " +
                 text_of(shapes.shape_v()) + " beside metadata `case` of " + files_[0]->path() + ": " + to_line(*case_),
             "the shapes of the case");
    }
    note_another_mask(p);
    dump_.case_line = to_line(*case_);
    dump_.dropout_seed = dropout_key(case_->seed);
    p.direction = Direction::forward;
    dump_.problem = std::move(p);
  }

  void note_another_mask(const Problem& of_case) {
    const auto said = metadata(files_[0], "mask"), words = mask_words_of(of_case.mask, of_case.len_q, of_case.len_kv);
    if (!said || !words || *said == *words || words_.mask || words_.problem) return;
    dump_.notes.push_back("metadata `mask` says " + printable(*said) + " and `case` " + *words + ": the case is taken");
  }

  void read_problem() {
    Problem& p = dump_.problem;
    if (words_.problem) {
      if (words_.mask) throw Error(ErrorKind::bad_request, "--problem beside --mask", "one of the two");
      read_problem_words(*words_.problem);
    } else if (words_.mask || !case_) {
      p.mask = read_mask_words(said("mask", words_.mask, "full"), p.len_q, p.len_kv);
    }
    const bool lengths_by_problem = words_.problem && !p.mask.kv_lens.empty() && !words_.kv_lengths;
    if (is_asked("kv_lengths", words_.kv_lengths) && !lengths_by_problem) {
      p.mask.kv_lens = read_lengths(said("kv_lengths", words_.kv_lengths, ""), p.batch, p.len_kv);
    }
    const bool by_flag = words_.problem.has_value();  // its words win over metadata
    if (is_asked("scale", words_.scale) && (words_.scale || !by_flag || !p.terms.scale)) {
      p.terms.scale = read_real(said("scale", words_.scale, ""));
    }
    if (is_asked("softcap", words_.softcap) && (words_.softcap || !by_flag || p.terms.softcap == 0)) {
      p.terms.softcap = read_real(said("softcap", words_.softcap, ""));
    }
    read_heads("alibi", dump_.alibi_slopes);
    read_heads("sinks", dump_.sinks);
    if (!dump_.alibi_slopes.empty()) p.terms.alibi = true;
    if (!dump_.sinks.empty()) p.terms.sink_logit = true;
    if (p.terms.sink_logit && dump_.sinks.empty()) refuse("a sink logit without the tensor `sinks`", "sinks [Hq]");
  }

  void note_what_was_assumed() {
    std::vector<std::string> taken;
    const auto assume = [&](const char* key, const std::optional<std::string>& flag, std::string what) {
      if (!is_said(key, flag)) taken.push_back(std::move(what));
    };
    if (!case_ && !words_.problem) {
      assume("mask", words_.mask, "mask full");
      assume("scale", words_.scale, "scale 1/sqrt(" + std::to_string(dump_.problem.dim_qk) + ")");
    }
    assume("axes", words_.axes, "axes BHSD");
    if (dump_.outputs[static_cast<std::size_t>(Output::lse)]) {
      assume("lse_axes", words_.lse_axes, "lse axes BHS");
      assume("lse_base", words_.lse_base, "lse base e");
    }
    if (!case_ && !sharded_) assume("layout", words_.layout, "rows in natural order");
    if (taken.empty()) return;
    std::string sentence = "not said, so taken: ";
    for (const std::string& what : taken) sentence += (what == taken.front() ? "" : ", ") + what;
    dump_.notes.push_back(std::move(sentence));
  }

  void note_what_is_not_read() {
    std::string unread = names_not_read(*files_[0], case_ ? Steps::known : Steps::unknown);
    if (!unread.empty()) dump_.notes.push_back("in the file, but not read: " + printable(unread, 400));
    std::string other_names = misnamed(*files_[0]);
    if (!other_names.empty()) dump_.notes.push_back(printable(other_names, 400));
  }

  // The shape words come from the tensors; a person may repeat them.
  void read_problem_words(const std::string& words) {
    Problem bare = dump_.problem;
    bare.mask = {}, bare.terms = {}, bare.direction = Direction::forward_and_backward;
    const std::string shapes = problem_line(bare);
    std::string line = shapes;
    std::size_t begin = words.find_first_not_of(' ');
    while (begin != std::string::npos) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      const std::string word = words.substr(begin, end - begin);
      if ((" " + shapes + " ").find(" " + word + " ") == std::string::npos) line += " " + word;
      begin = words.find_first_not_of(' ', end);
    }
    Problem said_problem = parse_problem(line);
    said_problem.direction = Direction::forward;
    dump_.problem = std::move(said_problem);
  }

  void read_heads(const char* name, std::vector<double>& out) const {
    const FileTensor* t = files_[0]->find(name);
    if (t == nullptr) return;
    if (t->size() != dump_.problem.heads_q) {
      refuse(std::string(name) + " of " + std::to_string(t->size()) + " numbers in " + files_[0]->path(),
             "one for each of the " + std::to_string(dump_.problem.heads_q) + " query heads");
    }
    out.resize(static_cast<std::size_t>(t->size()));
    t->read(0, out);
  }

  void read_layout() {
    const Problem& p = dump_.problem;
    const auto ranks = static_cast<int>(files_.size());
    if (is_asked("layout", words_.layout)) {
      const Said words = said("layout", words_.layout, "");
      const DumpLayout layout = read_layout_words(words);
      if (sharded_ && layout.ranks != ranks) {
        refuse(words.text + " in " + words.where + " for " + std::to_string(ranks) + " files",
               "one rank for each file");
      }
      dump_.layout = make_layout(layout.spec, p, layout.ranks, 1);
    } else if (case_ && sharded_) {
      dump_.layout = make_layout(case_->problem, case_->recipe);
    } else if (case_) {
      dump_.layout = layout_for_places();
    } else if (sharded_ && ranks > 1) {
      refuse("shards without a layout", "where each rank's rows belong", "say --layout \"zigzag 4\", for example");
    }
    q_positions_ = positions(Side::q, p.len_q);
    kv_positions_ = positions(Side::kv, p.len_kv);
  }

  // Whole tensors of an export are in natural order; the layout says who computed a row, if it can still be made.
  std::optional<Layout> layout_for_places() const {
    try {
      return make_layout(case_->problem, case_->recipe);
    } catch (const Error&) {
      return std::nullopt;  // custom=FILE is gone, say
    }
  }

  using Positions = std::vector<std::shared_ptr<const std::vector<std::int64_t>>>;  // [file]

  Positions positions(Side side, std::int64_t len) const {
    Positions out;
    std::vector<std::int64_t> mine;
    if (!dump_.layout || (case_ && !sharded_ && !is_asked("layout", words_.layout))) {
      mine.resize(static_cast<std::size_t>(len));
      std::iota(mine.begin(), mine.end(), 0);
      out.push_back(std::make_shared<const std::vector<std::int64_t>>(std::move(mine)));
      return out;
    }
    for (int b = 0; b < dump_.layout->blocks(); ++b) {
      const auto block = dump_.layout->block(side, b).positions();
      mine.insert(mine.end(), block.begin(), block.end());
      const bool last_of_rank = (b + 1) % dump_.layout->blocks_per_rank == 0;
      if (!last_of_rank || (!sharded_ && b + 1 < dump_.layout->blocks())) continue;
      out.push_back(std::make_shared<const std::vector<std::int64_t>>(std::move(mine)));
      mine.clear();
    }
    return out;
  }

  DumpTensor tensor(const char* name, Shape shape, Side side, Axes axes, int dimensions) const {
    std::vector<DumpPart> parts;
    const Positions& rows = side == Side::q ? q_positions_ : kv_positions_;
    for (std::size_t f = 0; f < files_.size(); ++f) {
      const FileTensor& t = require_tensor(files_[f], name);
      const Shape got = natural_shape(t, axes, dimensions, rows_of_a_file(), files_[f]->path());
      const Shape want{shape.batch, shape.heads, static_cast<std::int64_t>(rows[f]->size()), shape.dim};
      if (got != want) {
        refuse(std::string(name) + " with " + text_of(got) + " in " + files_[f]->path(), text_of(want),
               dimensions == 3 ? "if its axes are others, say --lse-axes BSH or --lse-axes BHS"
                               : "if the rows are dealt otherwise, say --layout");
      }
      parts.push_back({files_[f], &t, rows[f]});
    }
    return join_parts(std::move(parts), shape, axes);
  }

  void read_tensors() {
    Problem& p = dump_.problem;
    dump_.q = tensor("q", p.shape_q(), Side::q, axes_, 4);
    dump_.k = tensor("k", p.shape_k(), Side::kv, axes_, 4);
    dump_.v = tensor("v", p.shape_v(), Side::kv, axes_, 4);
    const auto has = [&](const char* name) { return files_[0]->find(name) != nullptr; };
    const auto take = [&](Output output, Shape shape, Side side) {
      const std::string name(name_of(output));
      if (has(name.c_str()))
        dump_.outputs[static_cast<std::size_t>(output)] = tensor(name.c_str(), shape, side, axes_, 4);
    };
    take(Output::o, p.shape_o(), Side::q);
    take(Output::dq, p.shape_q(), Side::q);
    take(Output::dk, p.shape_k(), Side::kv);
    take(Output::dv, p.shape_v(), Side::kv);
    if (has("lse")) take_lse();
    if (has("do")) dump_.d_o = tensor("do", p.shape_o(), Side::q, axes_, 4);
    const bool gradients = has("dq") || has("dk") || has("dv");
    if (gradients && !dump_.d_o)
      refuse("gradients without `do` in " + files_[0]->path(), "the gradient of the output beside them",
             misnamed(*files_[0], "do"));
    if (gradients) p.direction = Direction::forward_and_backward;
    const bool any =
        std::any_of(dump_.outputs.begin(), dump_.outputs.end(), [](const auto& o) { return o.has_value(); });
    if (!any) refuse("no output in " + files_[0]->path(), "any of o, lse, dq, dk, dv", misnamed(*files_[0]));
  }

  void take_lse() {
    DumpTensor lse = tensor("lse", dump_.problem.shape_lse(), Side::q, lse_axes_, 3);
    if (lse_base_ == LogBase::two) {
      lse.read_head = [read = lse.read_head](std::int64_t b, std::int64_t h, std::span<double> rows) {
        read(b, h, rows);
        for (double& x : rows) x *= log_of_2;
      };
    }
    dump_.outputs[static_cast<std::size_t>(Output::lse)] = std::move(lse);
  }

  const DumpWords& words_;
  std::vector<File> files_;  // by rank when sharded
  bool sharded_ = false;
  Axes axes_ = Axes::bhsd, lse_axes_ = Axes::bhsd;
  LogBase lse_base_ = LogBase::e;
  std::optional<Case> case_;
  Positions q_positions_, kv_positions_;
  Dump dump_;
};

}  // namespace

Dump read_dump(std::span<const std::string> paths, const DumpWords& words) {
  return DumpReader(paths, words).read();
}

}  // namespace ringscope
