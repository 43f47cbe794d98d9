"""Which folders of files a streaming frame is read from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from slackwater.spark.connect import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FILES = re.compile(r"FileSource\[(.+)\]", re.DOTALL)  # a source, as Spark prints it
_ALL_WITHIN = re.compile(r"(?<=[^/])(?:/\*)+/*$")


def source_folders(frame: DataFrame) -> list[str]:
    """Return the folders of files that a frame reads as streams, as they were given; none where that is not known."""
    if is_connect(frame.sparkSession):  # its plan is the server's
        return []
    leaves = frame._jdf.queryExecution().analyzed().collectLeaves()
    sources = (_FILES.fullmatch(leaves.apply(at).toString()) for at in range(leaves.size()))
    return [folder_of(source[1]) for source in sources if source is not None]


def folder_of(path: str) -> str:
    """Return the folder of which a source reads all; `/*` at the end of a path says nothing else.

    Other wildcards stay: what they stand for may lie anywhere beside an output, so no folder can be compared.

    >>> folder_of("in/bus"), folder_of("in/*/*"), folder_of("in/2024-*/bus")
    ('in/bus', 'in', 'in/2024-*/bus')
    """
    return _ALL_WITHIN.sub("", path)
