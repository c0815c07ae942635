// A check told to a person, to a program, and as a page.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/check_run.h"

namespace ringscope {

void print_check(const CheckResult& result);

// {files, source, case, problem, verdict, outputs {o, ...: {verdict, max_abs, rel_fro, ratio, peak_ratio, nonfinite,
// overflows, row_ratio, hidden, place {batch, head, row, wrong_rows, of_rows, sharp} or null}}, first_wrong {output,
// batch, head, row, and where known rank, local_row, kv_block} or null, first_step {tensor, step, rank, q_block,
// kv_block, batch, head, row, ratio} or null, diagnosis {name, certain, evidence} or null, notes, hints, seconds}.
// first_wrong is null too where no row stands out. Figures that are not finite are null.
nlohmann::ordered_json to_json(const CheckResult& result);

// One self-contained page with error maps.
std::string check_page(const CheckResult& result);

// "b1 h4/2 s512 d64 bf16 causal fwd", and what the words of a case line cannot say: "with alibi from the file".
std::string problem_text(const Dump& dump);
// "o[batch 0, head 1, row 37] on rank 2, local row 5; KV block 1"
std::string place_text(const FirstWrong& first);
// "first wrong step: 1, on rank 2: t1.r2.o, head 0, local row 3; 1.2e+05 x what rounding explains"
std::string step_text(const TensorDiff& first);
// "it looks like NAME: EVIDENCE"; the evidence alone where the dump is right but described otherwise.
std::string diagnosis_text(const Diagnosis& diagnosis);
// What the verdict rests on, or where it goes wrong, in a sentence.
std::string verdict_sentence(const CheckResult& result);

}  // namespace ringscope
