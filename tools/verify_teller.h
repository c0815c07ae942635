// Tells people the results of `ringscope verify`: all of a few, and of many what did not pass, at length only at first.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/verify.h"
#include "tools/verify_jobs.h"
#include "tools/verify_shrink.h"

namespace ringscope {

inline constexpr std::size_t few_jobs = 20;  // so many are told one by one, passed or not

class Teller {
 public:
  Teller(std::size_t jobs, std::string against);  // a second backend, or nothing

  bool speaks_of(const Report& report) const;
  void tell(const VerifyJob& job, const Verified& result, const std::optional<Shrunk>& shrunk);
  void end() const;  // what was not told of each

 private:
  void tell_failure(const VerifyJob& job, const Report& report);

  bool one_by_one_;
  std::string against_;
  std::map<std::string, std::int64_t> skipped_;  // by reason
  std::int64_t told_ = 0, in_short_ = 0;
};

}  // namespace ringscope
