#include "core/execute.h"

#include <chrono>
#include <limits>

#include "core/error.h"

namespace ringscope {

namespace {

std::span<const std::int64_t> items(const std::vector<std::int64_t>& all, const std::vector<std::int64_t>& begin,
                                    int step) {
  const auto t = static_cast<std::size_t>(step);
  return std::span(all).subspan(static_cast<std::size_t>(begin[t]), static_cast<std::size_t>(begin[t + 1] - begin[t]));
}

void compute_step(const RankProgram& program, Pass pass, int step, RankRun& run) {
  const auto attends = items(program.attends, program.attend_begin, step);
  const auto finishes = items(program.finishes, program.finish_begin, step);
  if (pass == Pass::backward) {  // the attends need the Stats
    for (const std::int64_t f : finishes) run.finish(f);
  }
  for (const std::int64_t a : attends) run.attend(a);
  if (pass == Pass::forward) {
    for (const std::int64_t f : finishes) run.finish(f);
  }
}

// What nobody writes stays visible: a plan that never brings a row home must not look right.
Tensor unwritten(const Shape& shape) {
  return Tensor(shape, std::numeric_limits<double>::quiet_NaN());
}

Outputs unwritten_outputs(const Problem& p, bool has_backward) {
  Outputs out;
  out.o = unwritten(p.shape_o());
  out.lse = unwritten(p.shape_lse());
  if (!has_backward) return out;
  out.dq = unwritten(p.shape_q());
  out.dk = unwritten(p.shape_k());
  out.dv = unwritten(p.shape_v());
  return out;
}

std::vector<double> sum_in_rank_order(const std::vector<std::vector<double>>& shares) {
  std::vector<double> sum = shares.empty() ? std::vector<double>{} : shares.front();
  for (std::size_t r = 1; r < shares.size(); ++r) {
    for (std::size_t h = 0; h < sum.size(); ++h) sum[h] += shares[r][h];
  }
  return sum;
}

}  // namespace

RunResult execute(Backend& backend, const Plan& plan, const Inputs& inputs, const RunOptions& options) {
  if (const Support support = backend.supports(plan.problem, plan.schedule); !support.yes) {
    throw Error(ErrorKind::unsupported, "a problem that " + backend.info().name + " does not run: " + support.because,
                "a backend that supports it", "see `ringscope list backends`");
  }
  const auto ranks = static_cast<std::size_t>(plan.layout.ranks);
  const std::vector<RankProgram> programs = index_by_rank(plan.schedule, plan.layout.ranks);
  const bool record = options.record != RunOptions::Record::nothing;
  std::vector<std::vector<Snapshot>> snapshots(ranks);
  std::vector<std::vector<double>> sink_shares(ranks);
  RunResult result;
  result.outputs = unwritten_outputs(plan.problem, plan.schedule.has_backward());

  const auto drive = [&](int rank, RankRun& run) {
    const auto r = static_cast<std::size_t>(rank);
    const RankProgram& program = programs[r];
    run.upload(inputs);
    for (int t = 0; t < plan.schedule.steps(); ++t) {
      run.post({t, items(program.sends, program.send_begin, t), items(program.receives, program.receive_begin, t)});
      compute_step(program, plan.schedule.pass(t), t, run);
      run.finish_step(t);
      if (record) snapshots[r].push_back(run.snapshot(t));
      if (rank == 0) tell_done(options.tell, static_cast<double>(t + 1) / plan.schedule.steps());
    }
    run.wait(options.deadline_seconds);
    run.download(result.outputs);
    sink_shares[r] = run.sink_gradient();
  };

  const std::unique_ptr<Session> session = backend.open(plan, options);
  const auto begin = std::chrono::steady_clock::now();
  session->for_each_rank(drive);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  result.outputs.d_sink = sum_in_rank_order(sink_shares);
  result.trace = session->trace();
  result.peak_bytes = session->peak_bytes();
  if (record) {
    result.log.plan = plan;
    for (auto& of_rank : snapshots) std::move(of_rank.begin(), of_rank.end(), std::back_inserter(result.log.snapshots));
    result.log.rows = session->row_events();
  }
  return result;
}

}  // namespace ringscope
