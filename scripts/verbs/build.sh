#!/usr/bin/env bash
# builds the libraries, the program, the tests and the benchmarks
#
# ./dev build [PRESET] [TARGET...]   PRESET: release (default), debug, asan, tsan; into build/PRESET
need "${build_packages[@]}" "${test_packages[@]}" "${bench_packages[@]}"
preset=${1:-release}
shift || true
case $preset in
  release | debug | asan | tsan) ;;
  *)
    say "no preset '$preset'; the presets are: release debug asan tsan"
    exit 2
    ;;
esac
mkdir -p "$root/build"
configure "$preset"
build "$preset" "$@"
say "built in build/$preset"
