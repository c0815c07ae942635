#!/usr/bin/env bash
# checks everything: lint, unit tests, the ci suite, an install and its consumer, both sanitizers
#
# ./dev test [PART...]
#   lint      who includes whom; the format of the C++ files
#   release   unit tests (with an install and a project that uses it), then `verify --suite ci`
#             and 100 random cases, always the same
#   asan      address and undefined-behaviour sanitizers: unit tests, fuzzers for 5 s each, then `verify --suite smoke`
#   tsan      thread sanitizer: the same but for the fuzzers
# All parts if none is named; stops at the first that is red. The sanitizers take the longest.
need "${build_packages[@]}" "${test_packages[@]}" "${lint_packages[@]}"
parts=("$@")
((${#parts[@]} > 0)) || parts=(lint release asan tsan)
mkdir -p "$root/build"

# One thread per test program: two programs at a time fill two cores, and OpenMP's idle threads would spin beside them.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1 second_deadlock_stack=1}

tests_of() {
  local preset=$1 suite=$2
  configure "$preset"
  build "$preset"
  ctest --test-dir "$root/build/$preset" --parallel "$jobs" --no-tests=error --output-on-failure --progress
  "$root/build/$preset/tools/ringscope" verify --suite "$suite"
  "$root/build/$preset/tools/ringscope" verify --random 100 --seed 20260
}

run_part() {
  case $1 in
    lint) "$root/dev" lint ;;
    release) tests_of release ci ;;
    asan | tsan) tests_of "$1" smoke ;;
    *)
      say "no part '$1'; the parts are: lint release asan tsan"
      exit 2
      ;;
  esac
}

current=none
trap 'status=$?; ((status == 0)) || say "red in part $current; again with: ./dev test $current"; exit $status' EXIT
for current in "${parts[@]}"; do
  began=$SECONDS
  say "$current ..."
  run_part "$current"
  say "$current is green ($((SECONDS - began)) s)"
done
say "all green: ${parts[*]} ($SECONDS s)"
