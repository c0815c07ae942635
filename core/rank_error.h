// An error that happened on one rank while a plan ran: where it happened goes with it.
#pragma once
#include "core/error.h"
#include "core/schedule.h"

namespace ringscope {

// Every rank of a run throws the same first one. The sentence names rank, step and slice too.
class RankError : public Error {
 public:
  RankError(ErrorKind kind, int rank, int step, Slice slice, std::string got, std::string want, std::string fix = {});

  int rank, step;
  Slice slice;
};

// "rank 2 step 3 KV b1 h0-2", the way every sentence about a place begins.
std::string place_text(int rank, int step, const Slice& slice);

// What a rank's step is about: the first thing it sends, else attends, else finishes; when that step has no work, of
// the nearest later step that has, else of an earlier one.
Slice activity_of(const Schedule& schedule, int rank, int step);

}  // namespace ringscope
