#!/usr/bin/env bash
# runs the benchmarks and writes docs/performance.md
#
# ./dev bench [ARGUMENTS of scripts/performance_page.py]
need "${build_packages[@]}" "${bench_packages[@]}"
mkdir -p "$root/build"
configure release
build release
exec python3 "$root/scripts/performance_page.py" "$@"
