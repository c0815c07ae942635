#include "tools/interrupt.h"

#include <csignal>

namespace ringscope {

namespace {

// A signal's handler can reach nothing else.
volatile std::sig_atomic_t interrupts = 0;

extern "C" void note_interrupt(int) {
  interrupts = 1;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

CatchInterrupts::CatchInterrupts() {
  interrupts = 0;
  std::signal(SIGINT, note_interrupt);
}

CatchInterrupts::~CatchInterrupts() {
  std::signal(SIGINT, SIG_DFL);
}

bool CatchInterrupts::was_interrupted() const {
  return interrupts != 0;
}

}  // namespace ringscope
