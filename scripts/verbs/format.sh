#!/usr/bin/env bash
# formats the C++ files with clang-format 14
#
# ./dev format [FILE...]   all files of the project if none is named
need "${lint_packages[@]}"
. "$root/scripts/cpp_files.sh"
if (($# > 0)); then clang-format-14 -i "$@"; else cpp_files | xargs -0 clang-format-14 -i; fi
