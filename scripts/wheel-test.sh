#!/usr/bin/env bash
# Builds the wheel, installs it into an empty environment for each extra and for none, and runs a first query in each.
# Says how large the installation is and how long the import takes. Extras may be named; all of them unless told.
set -euo pipefail
unset PYTHONPATH # pip would take a source tree there for an installation
cd "$(dirname "$0")/.."
python=$(scripts/check-env.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf build # setuptools would pack what is there from before
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/dist" .
wheel=$(ls "$work"/dist/slackwater-*.whl)
echo "wheel: $(du -k "$wheel" | cut -f1) kB"
extras=${*:-none tuner testing prometheus otel connect kafka docs tutorial}
for extra in $extras; do
  "$python" -m venv "$work/venv"
  wanted=$wheel
  [ "$extra" = none ] || wanted="$wheel[$extra]"
  "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt "$wanted"
  (cd "$work" && "$work/venv/bin/python" "$OLDPWD/scripts/first_query.py" "$extra")
  (cd "$work" && "$work/venv/bin/slackwater" --help > /dev/null)
  echo "$extra: $(du -sm "$work/venv/lib" | cut -f1) MB installed"
  rm -rf "$work/venv"
done
