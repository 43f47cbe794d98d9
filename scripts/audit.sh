#!/usr/bin/env bash
# audit.sh sbom PYTHON FILE   writes what an environment is made of, as CycloneDX JSON
# audit.sh audit FILE [COPY]  compares pinned versions with the advisories of PyPI; needs the network. Where that fails, also
#                             with what is at hand: a copy of https://github.com/pypa/advisory-database, or safety-db
# The tools have an environment of their own, so that they neither are what they look at nor stand in its way.
set -euo pipefail
tools=${AUDIT_TOOLS:-.venv-audit}
if [ ! -x "$tools/bin/pip-audit" ] || [ ! -x "$tools/bin/cyclonedx-py" ] || ! "$tools/bin/python" -c 'import yaml' 2>/dev/null; then
  python3 -m venv "$tools"
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check 'cyclonedx-bom>=7,<8' 'pip-audit>=2.10,<3' \
    pyyaml safety-db
fi
case "$1" in
  sbom)
    mkdir -p "$(dirname "$3")"
    "$tools/bin/cyclonedx-py" environment "$2" --pyproject pyproject.toml --mc-type library --output-reproducible --of JSON -o "$3"
    echo "slackwater: wrote $3"
    ;;
  audit)
    # --strict: without it a version that could not be looked up counts as one without advisories
    if ! "$tools/bin/pip-audit" --strict --no-deps --disable-pip --requirement "$2"; then
      echo "slackwater: there are advisories, or some versions could not be looked up (see above; is pypi.org reachable?)" >&2
      "$tools/bin/python" "$(dirname "$0")/advisories.py" "$2" ${3:+"$3"} >&2 || true
      exit 1  # also if nothing was found: what is at hand is old
    fi
    ;;
  *)
    echo "audit.sh: sbom or audit, got $1" >&2
    exit 2
    ;;
esac
