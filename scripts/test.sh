#!/usr/bin/env bash
# Runs all tests: those on Spark, which mostly wait, beside the others. Two sessions of Spark at once would starve each
# other's workers, so each half has one process. Shows the second half when the first is done. Arguments go to both.
set -uo pipefail
python=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$python" -m pytest -m "not spark" "$@" >"$log" 2>&1 &
others=$!
trap 'kill "$others" 2>/dev/null; rm -f "$log"' INT TERM
"$python" -m pytest -m spark "$@"
spark=$?
wait "$others"
rest=$?
cat "$log"
# 5: nothing was selected, which is no failure where arguments choose tests of one half
for status in "$spark" "$rest"; do
  [ "$status" -eq 0 ] || [ "$status" -eq 5 ] || exit "$status"
done
