#!/usr/bin/env bash
# Runs the tests that need no Spark, and some on Spark, on each Python that is supported and to be found. PYTHONS may name
# them: PYTHONS="/opt/py312/bin/python3.12 python3.13". One that is missing is skipped, which is said; arguments go to pytest.
set -uo pipefail
unset PYTHONPATH
cd "$(dirname "$0")/.."
failed=0 ran=0
ON_SPARK="tests/spark/test_query.py tests/spark/test_join_query.py tests/spark/test_aggregate_query.py tests/sql/test_on_spark.py"
for python in ${PYTHONS:-python3.11 python3.12 python3.13}; do
  if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "$python: skipped, no Python 3.11 or newer of that name was found; name one: make pythons PYTHONS=/path/to/$python"
    continue
  fi
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  venv=build/pythons/$version
  [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]' || { failed=1; continue; }
  # each has its own compiled kernels: those of another version are of no use to it
  export NUMBA_CACHE_DIR=$PWD/$venv/kernels
  "$venv/bin/python" -m pytest -q -m "not spark" "$@" || failed=1
  "$venv/bin/python" -m pytest -q -m spark $ON_SPARK "$@" || failed=1
  ran=$((ran + 1))
  echo "$version: done"
done
[ "$ran" -gt 0 ] || echo "nothing ran"
exit "$failed"
