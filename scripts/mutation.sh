#!/usr/bin/env bash
# mutation.sh PYTHON COUNT [SEED]: which tests run what (once), then COUNT random mutants against these. Goes on where it
# ended; each seed draws a sample of its own.
set -euo pipefail
export NUMBA_DISABLE_JIT=1 PYTHONPATH=src:.
output=mutation-output seed=${3:-1}
mkdir -p "$output"
for part in core models control estimate quality testing oracle simulation pipeline local spark plan sql advice experiments disorder; do
  [ -e "$output/$part.json" ] && continue
  "$1" -m pytest -q -p tests.mutation.reached --reached "$output/$part.json" -m "not spark and not kafka" --timeout=120 --hypothesis-seed=0 "tests/$part" || true
done
"$1" -m tests.mutation --mutants "$2" --seed "$seed" --budget 12 --reached "$output"/*.json --output "$output/mutants-$seed.jsonl"
"$1" -m tests.mutation --mutants "$2" --seed "$seed" --budget 90 --reached "$output"/*.json --output "$output/mutants-$seed.jsonl" --again
