#!/bin/sh
# Resolves the newest versions that pyproject.toml allows and writes them to constraints.txt.
set -eu
python=$(scripts/check-env.sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[dev]'
{
  echo "# Versions that CI uses. Renew with: make lock"
  "$work/venv/bin/python" -m pip freeze --exclude-editable | sort -f
} > constraints.txt
