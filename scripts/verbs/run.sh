#!/usr/bin/env bash
# runs the program, built first if stale: ./dev run verify --suite smoke
#
# ./dev run ARGUMENTS...   exits with the program's code; building is told on stderr only
build_program
exec "$program" "$@"
