#include "tools/check_run.h"

#include <chrono>

#include "core/foreign/gather_evidence.h"
#include "core/foreign/mistrust.h"
#include "core/foreign/units.h"
#include "formats/dump_foreign.h"
#include "formats/dump_set.h"
#include "tools/check_probe.h"

namespace ringscope {

namespace {

void diagnose_failure(const Foreign& foreign, const Judged& judged, const FirstWrong& first, Detail detail,
                      CheckResult& result) {
  const int threads = all_threads();
  Gathered gathered = gather_evidence(foreign, judged, first, result.dump.layout, threads);
  if (!gathered.remark.empty()) result.notes.push_back(std::move(gathered.remark));
  if (!gathered.evidence) return;
  result.diagnosis = diagnose(*gathered.evidence);
  if (detail == Detail::maps) result.shares = block_shares(*gathered.evidence);
}

// An error that the whole tensor hides is looked at without the heads that hide it.
void diagnose_hidden(const Foreign& foreign, Detail detail, CheckResult& result) {
  const FirstWrong& first = *result.first_wrong;
  const bool of_keys = first.output == Output::dk || first.output == Output::dv;
  const std::int64_t head_kv = of_keys ? first.rows.head : first.rows.head / foreign.problem.group();
  const Foreign group = one_group(foreign, first.rows.batch, head_kv);
  const Judged judged = judge_foreign(group, {.threads = all_threads()});
  const std::optional<FirstWrong> closer = find_first_wrong(group, judged, result.dump.layout);
  if (!closer) return;
  if (closer->output == first.output && closer->rows.row == first.rows.row) {
    result.first_wrong->kv_block = closer->kv_block;
  }
  result.notes.push_back("the diagnosis saw batch " + std::to_string(first.rows.batch) + ", KV head " +
                         std::to_string(head_kv) + " alone, since other heads hide it");
  diagnose_failure(group, judged, *closer, detail, result);
}

}  // namespace

CheckResult run_check(const std::vector<std::string>& paths, const DumpWords& words, Detail detail,
                      const std::function<void(double fraction)>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  CheckResult result;
  const std::vector<std::string> files = paths.size() == 1 ? files_of_dump(paths.front()) : paths;
  result.dump = read_dump(files, words);
  const Foreign foreign = foreign_of(result.dump);
  result.judged = judge_foreign(foreign, {.threads = all_threads(), .progress = progress});
  result.first_wrong = find_first_wrong(foreign, result.judged, result.dump.layout);
  result.notes = result.dump.notes;
  for (std::string& note : weak_sides(result.judged)) result.notes.push_back(std::move(note));
  result.steps = check_steps(result.dump, result.judged);
  if (!result.steps.remark.empty()) result.notes.push_back(result.steps.remark);
  if (result.first_wrong) {
    if (result.judged.of(result.first_wrong->output).hidden) {
      diagnose_hidden(foreign, detail, result);
    } else {
      diagnose_failure(foreign, result.judged, *result.first_wrong, detail, result);
    }
    result.hints = described_otherwise(
        files, words, result.dump, result.judged,
        result.diagnosis && result.diagnosis->certain ? LookFor::descriptions : LookFor::unsaid_words_too);
    if (result.hints.empty()) {
      for (std::string& note : narrow_outputs(result.dump, result.judged)) result.notes.push_back(std::move(note));
    }
    if (!result.diagnosis && !result.hints.empty()) {
      result.diagnosis = Diagnosis{std::string(described_otherwise_name), false, result.hints.front()};
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace ringscope
