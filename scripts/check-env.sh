#!/bin/sh
# Prints the Python to use, or one line that says what is missing and how to get it.
set -u
fail() { printf 'slackwater: %s\n' "$1" >&2; exit 1; }

python=""
for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python}; do
  command -v "$candidate" >/dev/null 2>&1 || continue
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then python=$candidate; break; fi
done
[ -n "$python" ] || [ -z "${PYTHON:-}" ] || fail "PYTHON=$PYTHON is not a Python 3.11 or newer; unset it, or set it to one and install it first"
[ -n "$python" ] || fail "Python 3.11 or newer is needed and was not found; install it (Debian: apt install python3 python3-venv; macOS: brew install python) or set PYTHON=/path/to/python3"
"$python" -c 'import venv, ensurepip' >/dev/null 2>&1 || fail "Python has no venv module; install it (Debian: apt install python3-venv)"

java=java
[ -n "${JAVA_HOME:-}" ] && java="$JAVA_HOME/bin/java"
remedy="install it (Debian: apt install openjdk-17-jre-headless; macOS: brew install openjdk@17) or set JAVA_HOME"
command -v "$java" >/dev/null 2>&1 || fail "Java 17 or newer is needed and was not found; $remedy"
version=$("$java" -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1)
[ -n "$version" ] && [ "$version" -ge 17 ] || fail "Java 17 or newer is needed, found ${version:-an unknown version}; $remedy"

printf '%s\n' "$python"
