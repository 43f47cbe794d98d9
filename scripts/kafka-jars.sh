#!/usr/bin/env bash
# Copies the jars of a Kafka broker and of Spark's connector, resolved by their coordinates, to the folder $1.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v mvn >/dev/null || { echo "slackwater: Maven is needed and was not found; install it (Debian: apt install maven)" >&2; exit 1; }
mkdir -p "$1"
target=$(cd "$1" && pwd)
for part in broker connector; do
  rm -rf "${target:?}/$part"
  mvn --batch-mode --quiet -f "scripts/kafka/$part.xml" dependency:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$target/$part"
done
touch "$target/.ready"
