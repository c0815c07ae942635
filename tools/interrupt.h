// Ctrl-C, so that a long run can say how far it came.
#pragma once

namespace ringscope {

inline constexpr int interrupted_exit_code = 130;  // 128 + SIGINT, as shells have it

// While one lives, Ctrl-C is noted instead of ending the program; a second one ends it.
class CatchInterrupts {
 public:
  CatchInterrupts();
  ~CatchInterrupts();
  CatchInterrupts(const CatchInterrupts&) = delete;
  CatchInterrupts& operator=(const CatchInterrupts&) = delete;

  bool was_interrupted() const;
};

}  // namespace ringscope
