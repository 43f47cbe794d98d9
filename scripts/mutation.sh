#!/usr/bin/env bash
# mutation.sh PYTHON COUNT [SEED]: which tests run what (once, some 15 minutes), then COUNT random mutants against these.
# Goes on where it ended; each seed draws a sample of its own.
set -euo pipefail
export NUMBA_DISABLE_JIT=1 PYTHONPATH=src:.
output=mutation-output seed=${3:-1}
mkdir -p "$output"
mapped() { # PART SECONDS PATHS...: which functions the tests of these paths run, as many as there is time for
  [ -e "$output/$1.json" ] || "$python" -m pytest -q -p tests.mutation.reached --reached "$output/$1.json" \
    --most-of-all "$2" -m "not spark and not kafka" --timeout=300 --hypothesis-seed=0 "${@:3}" || true
}
python=$1
mapped doctests 60 --doctest-modules src/slackwater/{core,models,control,estimate,local}
mapped core 150 tests/core
for part in models control estimate quality testing oracle simulation pipeline local spark; do
  mapped "$part" 90 "tests/$part"
done
"$1" -m tests.mutation --mutants "$2" --seed "$seed" --budget 12 --reached "$output"/*.json --output "$output/mutants-$seed.jsonl"
"$1" -m tests.mutation --mutants "$2" --seed "$seed" --budget 60 --reached "$output"/*.json --output "$output/mutants-$seed.jsonl" --again
