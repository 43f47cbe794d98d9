"""Event times that are text: read only if asked to, and only if all of them have a time zone, or none has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.errors import ColumnError

if TYPE_CHECKING:
    from slackwater.plan.nodes import StreamNode

_KINDS: dict[str, Any] = {"a time zone": pa.timestamp("us", tz="UTC"), "no time zone": pa.timestamp("us")}


class TextTimes:
    """Reads ISO 8601 text such as 2024-05-01T08:00:00Z, which must be of one kind in all batches."""

    def __init__(self) -> None:
        self._kind: str | None = None

    def read(self, node: StreamNode, values: pa.ChunkedArray[Any], *, parse: bool) -> pa.ChunkedArray[Any]:
        """Return the times; null stays null."""
        values = values.cast(pa.string())
        if not parse:
            raise _refused(node, values)
        if values.null_count == len(values):
            return values.cast(pa.null()).cast(pa.timestamp("us"))
        for kind, stated in _KINDS.items():
            try:
                found: pa.ChunkedArray[Any] = _cut(values).cast(stated)
            except pa.ArrowInvalid:
                continue
            if self._kind not in (None, kind):
                break
            self._kind = kind
            return found
        raise ColumnError(
            node.name,
            node.event_time,
            problem=f"is text that is not all times of one kind, such as {_example(values)!r}",
            remedy="write all times as 2024-05-01T08:00:00Z, or all without a time zone (they count as UTC)",
        )


def _refused(node: StreamNode, values: pa.ChunkedArray[Any]) -> ColumnError:
    example = _example(values)
    try:
        looks = TextTimes().read(node, pa.chunked_array([[example]]), parse=True).null_count == 0
    except ColumnError:
        looks = False
    remedy = 'cast it to a timestamp, or to integers and say unit="ms"'
    if looks:
        remedy = "it looks like a time: say --parse (in Python, parse=True) to read it, or cast it to a timestamp"
    return ColumnError(node.name, node.event_time, problem=f"is text, such as {example!r}", remedy=remedy)


def _cut(values: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    """Leave out what is finer than a microsecond."""
    cut: pa.ChunkedArray[Any] = pc.replace_substring_regex(values, r"(\.\d{6})\d+", r"\1")
    return cut


def _example(values: pa.ChunkedArray[Any]) -> str | None:
    found = pc.drop_null(values)
    return str(found[0].as_py()) if len(found) else None
