#!/usr/bin/env bash
# throws damaged input at all that reads other people's text and files, under sanitizers
#
# ./dev fuzz [SECONDS] [TARGET...]
#   SECONDS   for each target; 60 if not said
#   TARGET    case_line layout_text schedule_text safetensors npz npy; all if none is named
# By libFuzzer (clang-16) where it can be had, else by a plain mutation loop with g++. What crashes a target lies in
# build/fuzz-found; again with: PROGRAM FILE. What was learnt stays in build/fuzz-corpus and is where the next run starts.
targets=(case_line layout_text schedule_text safetensors npz npy)
seconds=60
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  seconds=$1
  shift
fi
for target in "$@"; do
  [[ " ${targets[*]} " == *" $target "* ]] && continue
  say "no target '$target'; the targets are: ${targets[*]}. Did you mean $(nearest "$target" "${targets[@]}")?"
  exit 2
done
(($# > 0)) && targets=("$@")

need "${build_packages[@]}"
if (need "${fuzz_packages[@]}"); then
  preset=fuzz
else
  say "going on without libFuzzer: a mutation loop with g++"
  need "${test_packages[@]}"
  preset=asan
fi
mkdir -p "$root/build"
configure "$preset"
build "$preset" "${targets[@]/#/ringscope_fuzz_}"

found=$root/build/fuzz-found
mkdir -p "$found"
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

# Runs one target; its corpus comes first, since the seeds are written there.
fuzz_target() {
  local target=$1 corpus=$root/build/fuzz-corpus/$1 log=$root/build/fuzz-found/$1.log
  local words=("-max_total_time=$seconds")
  [[ $preset == fuzz ]] && words+=(-timeout=10 -rss_limit_mb=1024 -max_len=65536 "-artifact_prefix=$found/$target-")
  mkdir -p "$corpus"
  words+=("$corpus")
  [[ $target == safetensors || $target == npz ]] && words+=("$root/tests/data/hostile")
  if "$root/build/$preset/tests/fuzz/ringscope_fuzz_$target" "${words[@]}" > "$log" 2>&1; then
    say "$target: $(tail -n 1 "$log")"
  else
    tail -n 40 "$log" >&2
    [[ -e $corpus/last-input ]] && mv "$corpus/last-input" "$found/$target-crash"
    say "$target: CRASHED (all it said: build/fuzz-found/$target.log; the input lies beside it)"
    return 1
  fi
}

say "${#targets[@]} targets, $seconds s each, $jobs at a time"
pids=()
status=0
for target in "${targets[@]}"; do
  ((${#pids[@]} < jobs)) || {
    wait "${pids[0]}" || status=1
    pids=("${pids[@]:1}")
  }
  fuzz_target "$target" &
  pids+=("$!")
done
for pid in "${pids[@]}"; do wait "$pid" || status=1; done
((status == 0)) && say "no crash"
exit "$status"
