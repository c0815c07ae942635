#include "tools/interrupt.h"

#include <atomic>
#include <csignal>

namespace ringscope {

namespace {

// A signal's handler can reach nothing else. Any thread may be the one that is interrupted.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int) {
  interrupted = true;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

CatchInterrupts::CatchInterrupts() {
  interrupted = false;
  std::signal(SIGINT, note_interrupt);
}

CatchInterrupts::~CatchInterrupts() {
  std::signal(SIGINT, SIG_DFL);
}

bool CatchInterrupts::was_interrupted() const {
  return interrupted;
}

}  // namespace ringscope
