#!/usr/bin/env bash
# mutation.sh PYTHON COUNT [SEED]: which tests run what, then COUNT random mutants against these.
# Goes on where it ended, and notes again only tests whose file has changed; each seed draws a sample of its own.
set -euo pipefail
export NUMBA_DISABLE_JIT=1 PYTHONPATH=src:.
output=mutation-output seed=${3:-1} reached=mutation-output/reached.jsonl
mkdir -p "$output"
"$1" -m pytest -q -p tests.mutation.reached --reached "$reached" -m "not spark and not kafka" --tb=no --timeout=0 \
  --hypothesis-seed=0 --doctest-modules src/slackwater/{core,models,control,estimate,local,pipeline,quality,testing} \
  tests/{core,models,control,estimate,quality,testing,oracle,simulation,pipeline,local,advice,disorder,spark} \
  tests/test_*.py || true
for again in "--budget 12" "--budget 60 --again"; do
  "$1" -m tests.mutation --mutants "$2" --seed "$seed" --reached "$reached" --output "$output/mutants-$seed.jsonl" $again
done
