#!/usr/bin/env bash
# installs all that the other verbs need
#
# ./dev setup
need "${build_packages[@]}" "${test_packages[@]}" "${bench_packages[@]}" "${lint_packages[@]}"
say "everything is installed"
