#!/usr/bin/env bash
# shows what Ringscope is about: five ways to spread one attention, proved, run, compared, and a fault that is caught
#
# ./dev demo   exits 0 if all is as it should be
build_program
. "$root/scripts/demo.sh"
