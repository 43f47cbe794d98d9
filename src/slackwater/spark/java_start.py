"""How the JVM of a session is started, so that its first query comes soon.

- *Classes from an archive.* Spark loads some twenty thousand classes, and the JVM reads, checks and links each of them
  anew in every process. It can map them from a file instead, which `slackwater prepare` makes. The JVM looks for itself
  whether the file fits its version and class path, and does without it where it does not.
- *Compiled where it pays.* The JVM's second compiler takes half of all processor time of a first minute, most of it for
  code that plans a query once. It now waits ten times as long before it compiles; loops over rows reach that within
  seconds all the same. A process that ends within minutes does without it altogether.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pyspark

PLACE = "SLACKWATER_CLASSES"  # an environment variable: where the archive is, or is to be
_TIMES_LATER = 10
_USUALLY = {  # the JVM's own numbers
    "Tier4InvocationThreshold": 5_000,
    "Tier4MinInvocationThreshold": 600,
    "Tier4CompileThreshold": 15_000,
    "Tier4BackEdgeThreshold": 40_000,
}
_QUIET = "-Xlog:cds=off -Xlog:cds+dynamic=off"  # an archive that does not fit is no news for users


def archive_for(java: str) -> Path:
    """Return where the archive of classes is kept for a Java, named as `java -version` does, and this Spark."""
    chosen = os.environ.get(PLACE)
    if chosen:
        return Path(chosen)
    key = hashlib.sha256(f"{java} {pyspark.__version__} {pyspark.__file__}".encode()).hexdigest()[:16]
    return Path(sys.prefix) / "share" / "slackwater" / f"spark-{key}.jsa"


def java_options(java: str, given: str | None = None, *, short_lived: bool = False) -> str:
    """Return the options for a JVM; those that users have `given` come last, and win."""
    archive = archive_for(java)
    mapped = [f'"-XX:SharedArchiveFile={archive}"', _QUIET] if archive.is_file() else []  # its path may have blanks
    compiling = ["-XX:TieredStopAtLevel=1"] if short_lived else _compile_later()
    return " ".join([*mapped, *compiling, *([given] if given else [])])


def noting_options(target: Path) -> str:
    """Return the options for a JVM that writes the classes it has loaded to an archive when it ends."""
    return f'"-XX:ArchiveClassesAtExit={target}" {_QUIET}'


def _compile_later() -> list[str]:
    return [f"-XX:{name}={usual * _TIMES_LATER}" for name, usual in _USUALLY.items()]
