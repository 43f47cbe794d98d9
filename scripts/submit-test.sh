#!/usr/bin/env bash
# Runs the small job by spark-submit, with the wheel as an archive and not installed, and under Spark Connect.
set -euo pipefail
unset PYTHONPATH # pip would take a source tree there for an installation
cd "$(dirname "$0")/.."
python=$(realpath -s "${1:-.venv/bin/python}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf build # setuptools would pack what is there from before
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work" .
mv "$work"/slackwater-*.whl "$work/slackwater.zip"
cp scripts/small_job.py "$work/"
cd "$work"
# -P and -S would lose the environment; the archive comes first in the path, before an installed slackwater
env PYSPARK_PYTHON="$python" PYSPARK_DRIVER_PYTHON="$python" NUMBA_CACHE_DIR="$work/kernels" \
  "$(dirname "$python")/spark-submit" --master 'local[2]' --conf spark.ui.enabled=false \
  --py-files slackwater.zip small_job.py 2>submit.log | tee submit.out || { tail -40 submit.log; exit 1; }
grep -q 'slackwater.zip' submit.out || { echo "the archive was not used"; exit 1; }
env PYSPARK_PYTHON="$python" PYTHONPATH="$work/slackwater.zip" "$python" small_job.py --connect 2>connect.log ||
  { tail -40 connect.log; exit 1; }
