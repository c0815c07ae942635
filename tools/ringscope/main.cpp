#include <csignal>

#include "tools/program.h"

int main(int count, char** values) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the shell's limit (ulimit -f) is then an error like a full disk
  return ringscope::run_program({values + 1, values + count});
}
