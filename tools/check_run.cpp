#include "tools/check_run.h"

#include <chrono>

#include "core/foreign/gather_evidence.h"
#include "core/foreign/units.h"
#include "formats/dump_foreign.h"
#include "formats/dump_set.h"
#include "tools/check_probe.h"

namespace ringscope {

namespace {

void note_weak_inputs(const Judged& judged, std::vector<std::string>& notes) {
  if (judged.zero_scores) notes.emplace_back("q or k is 0 everywhere: all scores are 0, so the scale is not tested");
  if (judged.constant_v) notes.emplace_back("v is the same in all rows, so o does not show which keys were seen");
  if (judged.constant_d_o) notes.emplace_back("do is the same in all rows, so the gradients show little");
}

void diagnose_failure(const Foreign& foreign, CheckResult& result) {
  const int threads = all_threads();
  Gathered gathered = gather_evidence(foreign, result.judged, *result.first_wrong, result.dump.layout, threads);
  if (!gathered.remark.empty()) result.notes.push_back(std::move(gathered.remark));
  if (gathered.evidence) result.diagnosis = diagnose(*gathered.evidence);
}

}  // namespace

CheckResult run_check(const std::vector<std::string>& paths, const DumpWords& words,
                      const std::function<void(double fraction)>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  CheckResult result;
  const std::vector<std::string> files = paths.size() == 1 ? files_of_dump(paths.front()) : paths;
  result.dump = read_dump(files, words);
  const Foreign foreign = foreign_of(result.dump);
  result.judged = judge_foreign(foreign, {.threads = all_threads(), .progress = progress});
  result.first_wrong = find_first_wrong(foreign, result.judged, result.dump.layout);
  result.notes = result.dump.notes;
  note_weak_inputs(result.judged, result.notes);
  if (result.first_wrong) {
    diagnose_failure(foreign, result);
    result.hints = described_otherwise(files, words, result.dump, result.judged);
    if (!result.diagnosis && !result.hints.empty()) {
      result.diagnosis = Diagnosis{"described_otherwise", false, result.hints.front()};
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace ringscope
