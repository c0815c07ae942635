#include "core/diagnosis/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/diagnosis/differs.h"
#include "core/diagnosis/hypothesis.h"
#include "core/numbers.h"
#include "core/tensor_of.h"

namespace ringscope {

namespace {

// How close a guess comes to what was given.
struct Fit {
  double left = 0;   // RMS error that the guess leaves, over the error of the right outputs; the worst wrong output
  double worst = 0;  // its largest error, over what a right kernel is allowed; the worst output
  // Wrong elements that the guess changes: those that tell it from what is right.
  std::int64_t telling = 0;
};

struct Match {
  const Hypothesis* hypothesis = nullptr;
  std::string detail;
  Fit fit;
};

double largest(const Tensor& tensor) {
  double most = 0;
  for (const double x : tensor.values) {
    if (std::isfinite(x)) most = std::max(most, std::abs(x));
  }
  return most;
}

struct Distance {
  double rms = 0, peak = 0;
  std::int64_t nonfinite = 0;
};

Distance distance(const Tensor& a, const Tensor& b) {
  Distance d;
  double sum = 0;
  for (std::size_t n = 0; n < a.values.size(); ++n) {
    if (!std::isfinite(a.values[n]) || !std::isfinite(b.values[n])) {
      d.nonfinite += differs(a.values[n], b.values[n], 0);
      continue;
    }
    const double error = std::abs(a.values[n] - b.values[n]);
    sum += error * error;
    d.peak = std::max(d.peak, error);
  }
  d.rms = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(a.values.size(), 1)));
  return d;
}

constexpr double infinity = std::numeric_limits<double>::infinity();

class Judge {
 public:
  explicit Judge(const Evidence& evidence) : e_(evidence) {
    for (int n = 0; n < output_kinds; ++n) {
      const Output output = static_cast<Output>(n);
      if (!present(output)) continue;
      from_right_[static_cast<std::size_t>(n)] = distance(tensor_of(e_.given, output), tensor_of(e_.right, output));
    }
  }

  Fit fit(const Outputs& guess) const {
    Fit fit;
    for (int n = 0; n < output_kinds; ++n) {
      const Output output = static_cast<Output>(n);
      if (!present(output)) continue;
      const auto at = static_cast<std::size_t>(n);
      const Distance mine = distance(tensor_of(e_.given, output), tensor_of(guess, output));
      if (mine.nonfinite > 0) return {infinity, infinity, 0};
      fit.worst = std::max(fit.worst, mine.peak / allowed(output, guess));
      if (e_.figures[at].verdict == Verdict::passed) continue;
      fit.telling += telling(output, guess);
      const Distance& right = from_right_[at];
      const bool explains_nonfinite = right.nonfinite > 0;
      const double left = right.rms > 0 ? mine.rms / right.rms : mine.rms > 0 ? infinity : 0;
      fit.left = std::max(fit.left, explains_nonfinite ? std::min(left, nonfinite_fit) : left);
    }
    return fit;
  }

 private:
  // Where the pattern of NaN and infinity is explained, the finite rest need not come closer than it was.
  static constexpr double nonfinite_fit = 1e-3;

  bool present(Output output) const {
    return !tensor_of(e_.given, output).empty() && !tensor_of(e_.right, output).empty();
  }
  std::int64_t telling(Output output, const Outputs& guess) const {
    const Tensor &given = tensor_of(e_.given, output), &right = tensor_of(e_.right, output);
    const Tensor& mine = tensor_of(guess, output);
    const double tolerance = allowed(output, e_.right);
    std::int64_t count = 0;
    for (std::size_t n = 0; n < given.values.size(); ++n) {
      count +=
          differs(given.values[n], right.values[n], tolerance) && differs(mine.values[n], right.values[n], tolerance);
    }
    return count;
  }
  // Six times what a right kernel is expected to reach (docs/formats.md), grown with the guess.
  double allowed(Output output, const Outputs& guess) const {
    const double right = largest(tensor_of(e_.right, output)), mine = largest(tensor_of(guess, output));
    const double growth = right > 0 ? std::max(1.0, mine / right) : 1;
    const double divisor = e_.divisor[static_cast<std::size_t>(output)];
    return 6 * growth * (divisor > 0 ? divisor : unit_roundoff(e_.problem.type) * std::max(right, 1e-300));
  }

  const Evidence& e_;
  std::array<Distance, output_kinds> from_right_;
};

// Half of the error explained and nothing beyond what rounding may leave: worth naming.
bool explains(const Fit& fit) {
  return fit.left <= 0.5 && fit.worst <= 2;
}

std::string percent(double part) {
  if (part < 1e-4) return "all but " + text_of(std::round(part * 1e8) / 1e8) + " of the error";
  return text_of(std::round((1 - part) * 1000) / 10) + " % of the error";
}

// With NaN or infinity in the inputs, what is right is a matter of taste.
bool is_finite(const Inputs& inputs) {
  for (const Tensor* tensor : {&inputs.q, &inputs.k, &inputs.v, &inputs.d_o}) {
    if (!std::all_of(tensor->values.begin(), tensor->values.end(), [](double x) { return std::isfinite(x); }))
      return false;
  }
  return true;
}

// Nothing where the forward is right, or all there is.
std::optional<Evidence> forward_alone(const Evidence& evidence) {
  const Outputs& given = evidence.given;
  const bool has_gradients = !given.dq.empty() || !given.dk.empty() || !given.dv.empty();
  const bool is_wrong = evidence.first_wrong &&
                        (evidence.first_wrong->output == Output::o || evidence.first_wrong->output == Output::lse);
  if (!has_gradients || !is_wrong) return std::nullopt;
  Evidence forward = evidence;
  forward.problem.direction = Direction::forward;
  forward.inputs.d_o = {};
  for (Outputs* outputs : {&forward.given, &forward.right}) outputs->dq = outputs->dk = outputs->dv = {};
  for (const Output gradient : {Output::dq, Output::dk, Output::dv}) {
    forward.figures[static_cast<std::size_t>(gradient)] = {};
  }
  return forward;
}

std::optional<Diagnosis> best_match(const Evidence& evidence) {
  const Judge judge(evidence);
  std::vector<Match> matches;  // the best of each hypothesis
  for (const Hypothesis& hypothesis : hypotheses()) {
    std::optional<Match> best;
    hypothesis.guess(evidence, [&](Guess guess) {
      const Fit fit = judge.fit(guess.outputs);
      if (explains(fit) && (!best || fit.left < best->fit.left))
        best = Match{&hypothesis, std::move(guess.detail), fit};
    });
    if (best) matches.push_back(std::move(*best));
  }
  if (matches.empty()) return std::nullopt;
  const auto best = std::min_element(matches.begin(), matches.end(),
                                     [](const Match& a, const Match& b) { return a.fit.left < b.fit.left; });
  const bool alone = std::none_of(matches.begin(), matches.end(), [&](const Match& m) {
    return &m != &*best && m.fit.left < std::max(10 * best->fit.left, 0.1);
  });
  Diagnosis out;
  out.name = std::string(best->hypothesis->name);
  // One number can be matched by chance, and never tells two mistakes apart.
  const bool told = best->fit.telling > 1 || best->hypothesis->explains_one_element;
  out.certain = alone && told && best->fit.left <= 0.1;
  out.evidence = std::string(best->hypothesis->sentence) + (best->detail.empty() ? "" : " (" + best->detail + ")") +
                 ": recomputed so, it explains " + percent(best->fit.left);
  for (const Match& m : matches) {
    if (!alone && &m != &*best)
      out.evidence += "; " + std::string(m.hypothesis->name) + " explains " + percent(m.fit.left);
  }
  if (!told) out.evidence += "; a single number says so, the rest is the same either way";
  return out;
}

}  // namespace

std::optional<Diagnosis> diagnose(const Evidence& evidence) {
  const bool nothing_wrong = std::none_of(evidence.figures.begin(), evidence.figures.end(),
                                          [](const Figures& f) { return f.verdict == Verdict::failed; });
  if (nothing_wrong || !is_finite(evidence.inputs)) return std::nullopt;
  if (auto all = best_match(evidence)) return all;
  // A backward meets a mistake of the forward in more ways than are recomputed.
  const std::optional<Evidence> forward = forward_alone(evidence);
  if (!forward) return std::nullopt;
  auto diagnosis = best_match(*forward);
  if (diagnosis) diagnosis->evidence += ", in o and lse; the gradients beside them are not explained";
  return diagnosis;
}

std::span<const Hypothesis> hypotheses() {
  static const std::vector<Hypothesis> all = [] {
    std::vector<Hypothesis> out;
    for (auto* family : {output_hypotheses, score_hypotheses, mask_hypotheses, merge_hypotheses, ring_hypotheses,
                         gradient_hypotheses}) {
      for (Hypothesis& h : family()) out.push_back(std::move(h));
    }
    return out;
  }();
  return all;
}

}  // namespace ringscope
