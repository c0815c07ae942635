#!/usr/bin/env bash
# plants every fault, sees which check is red, and writes docs/validator.md
#
# ./dev faults   a few minutes; the page is the same for the same sources, whatever the machine
build_program
page=$root/build/validator.md
"$program" faults > "$page"
mv "$page" "$root/docs/validator.md"
git -C "$root" diff --stat -- docs/validator.md
