"""Where a path is, whichever way it is written, and whether two of them overlap."""

from __future__ import annotations

import os
import re
from pathlib import Path


def local_folder(where: str | os.PathLike[str]) -> Path | None:
    """Return where a path is on a file system that this machine has mounted; None: it is elsewhere.

    >>> local_folder("file:///data/c"), local_folder("s3a://data/c")
    (PosixPath('/data/c'), None)
    """
    where = os.fspath(where)
    if where.startswith("file:"):
        return Path("/" + where.removeprefix("file:").lstrip("/"))
    return None if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", where) else Path(where)


def overlap(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Return whether two paths are the same place, or one is within the other; links are followed.

    >>> overlap("out/x", "./out/x/"), overlap("file:///out/x", "/out"), overlap("s3a://out/x", "s3a://out/x/late")
    (True, True, True)
    >>> overlap("out/x", "out/x-late"), overlap("s3a://out/x", "/out/x")
    (False, False)
    """
    return all(part == same for part, same in zip(_parts(one), _parts(other), strict=False))


def _parts(where: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the names that lead to a path, from the root of its file system."""
    folder = local_folder(where)
    if folder is None:
        return Path(os.path.normpath(where)).parts
    try:
        return Path(os.path.realpath(folder)).parts
    except ValueError:  # a name that no file can have, which nothing can link to
        return Path(os.path.abspath(folder)).parts
