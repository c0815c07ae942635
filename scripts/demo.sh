# The demo: one attention, five ways over 8 threaded ranks, then one mistake that is caught.

problem='b1 h8/2 s512 d64 bf16 causal'
ring="$problem | zigzag ring r8"
five_ways=(
  "$ring"
  "$problem | zigzag ulysses r8 kv-copies"
  "$problem | zigzag usp r4x2"
  "$problem | zigzag double-ring r2x4"
  "$problem | zigzag all-gather r8"
)
broken="$ring | cpu | random fault=drop-block@r2,t1"
wrong=0

tell() { printf '\n\n%s\n' "$*"; }

# Shows a command as a person would type it and runs it; wrong unless it exits with the code expected.
show() {
  local expected=$1 status=0 word
  shift
  printf '\n$ ./dev run'
  for word in "$@"; do [[ $word == *' '* ]] && printf ' "%s"' "$word" || printf ' %s' "$word"; done
  printf '\n'
  "$program" "$@" || status=$?
  ((status == expected)) && return 0
  say "that should have exited with $expected, not $status"
  wrong=1
}

# The report as JSON must name the rank, the step and the block that the fault left out.
place_is_named() {
  local report
  report=$("$program" verify "$broken" --json || true)
  [[ $report =~ \"rank\":\ *2[,}] && $report =~ \"step\":\ *1[,}] && $report =~ \"kv_block\":\ *[0-9]+ ]] && return 0
  say "the report should name rank 2, step 1 and the block"
  wrong=1
}

tell "1. Who sends what to whom: KV blocks go round a ring of 8 ranks. Step 1 of 8:"
show 0 show ring "$ring" --step 1
tell "2. Who computes how much under a causal mask: zigzag gives every rank the same, contiguous does not."
show 0 show balance "$ring"
tell "3. Five ways over 8 threads, forward and backward: planned, proved, run, compared with an fp64 oracle."
show 0 verify "${five_ways[@]}"
tell "4. A planted mistake: rank 2 leaves out the KV block of step 1. It must be caught, with the place named."
show 1 verify "$broken"
place_is_named

((wrong == 0)) || { tell "The demo is NOT as it should be: see above."; exit 1; }
tell "All is as it should be: five ways right, one mistake caught. Next: ./dev run --help, README.md, docs/design.md"
