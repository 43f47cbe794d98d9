"""Files of JSON lines, looked at before Arrow reads them: a block of them that begins with null ends its process."""

from __future__ import annotations

import re
from pathlib import Path

from slackwater.errors import DatasetError

_BLOCK = 1 << 24
_NULL = re.compile(rb"^[ \t\r\xef\xbb\xbf]*null", re.MULTILINE)  # linear: no line begins twice
_LONGEST = 64  # of what is looked for, but for blanks beyond reason


def check_json_lines(path: Path) -> None:
    """Refuse a file with a row that is null instead of an object. O(bytes), in little memory.

    Raises:
        DatasetError: there is one.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        before = b""
        while block := file.read(_BLOCK):
            if _NULL.search(before + block):
                raise DatasetError(str(path), problem="has a row that is null", remedy="leave such rows out")
            before = (before + block).rpartition(b"\n")[2][-_LONGEST:]  # the line that goes on
