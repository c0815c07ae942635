#include "tools/program.h"

int main(int count, char** values) {
  return ringscope::run_program({values + 1, values + count});
}
