# Installs what a verb needs: only what is missing, through apt where there is apt.

build_packages=(g++ cmake ninja-build ccache libeigen3-dev libfmt-dev libcli11-dev nlohmann-json3-dev zlib1g-dev)
test_packages=(libgtest-dev libgmock-dev python3)
bench_packages=(libbenchmark-dev python3)
lint_packages=(clang-format-14 python3)
fuzz_packages=(clang-16 libclang-rt-16-dev)

# What shows that a package is there, however it was installed: a command or a header.
declare -A proof_of=(
  [g++]=g++ [cmake]=cmake [ninja-build]=ninja [ccache]=ccache [python3]=python3
  [clang-format-14]=clang-format-14
  [libeigen3-dev]=eigen3/Eigen/Core [libfmt-dev]=fmt/core.h [libcli11-dev]=CLI/CLI.hpp
  [nlohmann-json3-dev]=nlohmann/json.hpp [zlib1g-dev]=zlib.h [libgtest-dev]=gtest/gtest.h [libgmock-dev]=gmock/gmock.h
  [libbenchmark-dev]=benchmark/benchmark.h
  [clang-16]=clang++-16 [libclang-rt-16-dev]=fuzzer/FuzzedDataProvider.h
)

is_installed() {
  local proof=${proof_of[$1]} folder
  [[ $proof != *.h && $proof != */* ]] && { command -v "$proof" > /dev/null; return; }
  for folder in /usr/include /usr/local/include /opt/homebrew/include /usr/lib/llvm-16/lib/clang/16/include; do
    [[ -e $folder/$proof ]] && return 0
  done
  return 1
}

# need PACKAGE...: returns at once when all are there.
need() {
  local package missing=()
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  ((${#missing[@]} == 0)) && return 0
  if ! command -v apt-get > /dev/null; then
    say "these are missing and there is no apt-get here; install what your system calls: ${missing[*]}"
    exit 2
  fi
  local as_root=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo > /dev/null || {
      say "these are missing, and installing them takes root or sudo: apt-get install ${missing[*]}"
      exit 2
    }
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300
    -o Dpkg::Use-Pty=0)
  mkdir -p "$root/build"
  { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } \
    < /dev/null > "$root/build/apt.log" 2>&1 && return 0
  tail -n 20 "$root/build/apt.log" >&2
  say "apt could not install them (all it said: build/apt.log); by hand: apt-get install ${missing[*]}"
  exit 2
}
