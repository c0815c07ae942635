#!/usr/bin/env bash
# ./dev lists its verbs, explains each, and refuses an unknown one with the nearest; from any folder.
set -euo pipefail
dev=$1
cd /

fail() { echo "dev_test: $*" >&2; exit 1; }

listed=$("$dev")
for verb in setup build demo test run bench fuzz faults format lint; do
  [[ $listed == *"  $verb "* ]] || fail "./dev does not list $verb"
  [[ $("$dev" help "$verb") == *"./dev $verb"* ]] || fail "./dev help $verb does not say how to call it"
done

status=0
refused=$("$dev" tset 2>&1) || status=$?
((status == 2)) || fail "an unknown verb exits with $status, not 2"
[[ $refused == *"Did you mean ./dev test?"* ]] || fail "an unknown verb is not told the nearest: $refused"

# What this very build was made with is there, so nothing is to be installed.
root=$(dirname -- "$dev")
. "$root/scripts/packages.sh"
for package in libeigen3-dev libfmt-dev libcli11-dev nlohmann-json3-dev zlib1g-dev; do
  is_installed "$package" || fail "$package is not seen, and would be installed by every ./dev"
done
