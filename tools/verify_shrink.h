// Makes failures small before people are told of them.
#pragma once
#include <optional>
#include <vector>

#include "core/verify.h"
#include "tools/verify_jobs.h"

namespace ringscope {

struct Shrunk {
  VerifyJob job;  // the smallest that was found
  Verified result;
  int tries = 0;
  // Whose outputs the diagnosis of `result` rests on: the largest case that was diagnosed, since the smallest ones have
  // outputs that many mistakes explain. Empty: none was.
  std::string diagnosed_in;
};

// The first failure of each kind (verdict, check, output) is shrunk; later ones of a kind are likely the same mistake.
class Shrinker {
 public:
  Shrinker(const VerifyArguments& arguments, const VerifyOptions& options);

  // Nothing where the job passed, is no case of its own, or is not the first of its kind.
  std::optional<Shrunk> shrink(const VerifyJob& job, const Verified& result);

 private:
  bool is_new(const Report& report);

  const VerifyArguments& arguments_;
  const VerifyOptions& options_;
  std::vector<Report> seen_;
};

}  // namespace ringscope
