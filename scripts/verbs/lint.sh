#!/usr/bin/env bash
# checks who includes whom, and the format of the C++ files
#
# ./dev lint   changes nothing; ./dev format mends the format
need "${lint_packages[@]}"
. "$root/scripts/cpp_files.sh"
python3 "$root/scripts/check_includes.py" "$root"
cpp_files | xargs -0 -n 20 -P "$jobs" clang-format-14 --dry-run -Werror
