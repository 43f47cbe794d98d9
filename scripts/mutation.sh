#!/usr/bin/env bash
# mutation.sh PYTHON COUNT: which tests run what (once), then COUNT random mutants against these. Goes on where it ended.
set -euo pipefail
export NUMBA_DISABLE_JIT=1 PYTHONPATH=src:.
output=mutation-output
mkdir -p "$output"
for part in core models control local pipeline estimate quality testing simulation; do
  [ -e "$output/$part.json" ] && continue
  "$1" -m pytest -q -p tests.mutation.reached --reached "$output/$part.json" -m "not spark" --timeout=120 --hypothesis-seed=0 "tests/$part" || true
done
"$1" -m tests.mutation --mutants "$2" --budget 12 --reached "$output"/*.json --output "$output/mutants.jsonl"
"$1" -m tests.mutation --mutants "$2" --budget 90 --reached "$output"/*.json --output "$output/mutants.jsonl" --again
