"""Keep the noise of other programs out of the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def children_log_to(path: Path) -> Iterator[None]:
    """Let every process started meanwhile write its stdout and stderr to a file, for as long as it lives.

    Processes inherit the descriptors: the JVM of Spark and the Python workers it starts stay quiet after this ends.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [(descriptor, os.dup(descriptor)) for descriptor in (1, 2)]
    with path.open("ab") as log:
        try:
            for descriptor, _ in kept:
                os.dup2(log.fileno(), descriptor)
            yield
        finally:
            for descriptor, copy in kept:
                os.dup2(copy, descriptor)
                os.close(copy)
