# What ./dev tells a person. Everything goes to stderr: stdout belongs to the program that is run.

say() { printf 'dev: %s\n' "$*" >&2; }

# Edits (insert, delete, replace) that turn $1 into $2: Wagner and Fischer's table, one row at a time.
edits() {
  local a=$1 b=$2 i j above diagonal cost best
  local row=()
  for ((j = 0; j <= ${#b}; ++j)); do row[j]=$j; done
  for ((i = 1; i <= ${#a}; ++i)); do
    diagonal=${row[0]}
    row[0]=$i
    for ((j = 1; j <= ${#b}; ++j)); do
      above=${row[j]}
      [[ ${a:i-1:1} == "${b:j-1:1}" ]] && cost=$diagonal || cost=$((diagonal + 1))
      best=$cost
      ((above + 1 < best)) && best=$((above + 1))
      ((row[j - 1] + 1 < best)) && best=$((row[j - 1] + 1))
      row[j]=$best
      diagonal=$above
    done
  done
  printf '%s' "${row[${#b}]}"
}

# nearest WORD CANDIDATE...: the candidate with the fewest edits.
nearest() {
  local word=$1 candidate count found fewest=1000
  shift
  for candidate in "$@"; do
    count=$(edits "$word" "$candidate")
    ((count < fewest)) && fewest=$count found=$candidate
  done
  printf '%s' "$found"
}
