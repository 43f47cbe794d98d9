"""The parser of windows: `[5 SEC]`, `[RANGE 5 minutes, DRATIO 1%]`, `KEEP 3 SECOND`, `Window[Range 10min]`."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from slackwater.sql.tree import Span, StreamRef, Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slackwater.sql.reader import Reader

_SIZES = ("RANGE", "SIZE", "KEEP")
_PARTS = (*_SIZES, "SLIDE", "DRATIO")


def read_window(reader: Reader) -> tuple[Window, Decimal | None]:
    """Read the window of a stream, and the drop ratio where it states one."""
    opening = reader.position
    if reader.takes_word("KEEP"):
        return Window(_checked(reader, reader.span(), opening, "KEEP 5 SECONDS"), closed="right"), None
    reader.symbol("[")
    fields: dict[str, Any] = {}
    if reader.next.kind == "number":
        fields["RANGE"] = reader.span()
    else:
        _part(reader, fields)
    while reader.takes_symbol(","):
        _part(reader, fields)
    reader.symbol("]")
    size = next((fields[word] for word in _SIZES if word in fields), None)
    size = _checked(reader, size, opening, "[RANGE 5 SECONDS]")
    return Window(size, fields.get("SLIDE"), "right" if "KEEP" in fields else "both"), fields.get("DRATIO")


def _checked(reader: Reader, size: Span | None, opening: int, instead: str) -> Span:
    """Return the size of a window, if it has one."""
    if not size:
        problem = "a window needs its size" if size is None else "a window must be longer than nothing"
        reader.fail(problem, f"write {instead}", reader.place_from(opening))
    return size


def read_last_window(reader: Reader) -> Window:
    """Read WINDOW [...] where streams have windows already: it is about what they give together."""
    start = reader.position
    window, drop_ratio = read_window(reader)
    place = reader.place_from(start)
    if drop_ratio is not None:
        reader.fail("DRATIO is about streams", "write it in the window of a stream, or WITH DROP 1%", place)
    return window


def _part(reader: Reader, fields: dict[str, Any]) -> None:
    """Read RANGE 5 SEC, or RANGE = 5 SEC."""
    token = reader.next
    word = reader.word(*_PARTS)
    if word in fields or (word in _SIZES and any(each in fields for each in _SIZES)):
        reader.fail(f"{word} is too much here", "leave one out", (token.start, token.stop))
    reader.takes_symbol("=")
    fields[word] = reader.share(word) if word == "DRATIO" else reader.span()


def with_window(reader: Reader, streams: Sequence[StreamRef]) -> list[StreamRef]:
    """Read WINDOW [...] or SLIDE of the whole query, and give it to all its streams."""
    token = reader.take()
    place = token.start, token.stop
    if token.is_word("SLIDE"):
        slide = reader.span()
        return [_sliding(reader, ref, slide, place) for ref in streams]
    if any(ref.window is not None for ref in streams):
        reader.fail("a stream has a window already", "leave one out", place)
    window, drop_ratio = read_window(reader)
    return [replace(ref, window=window, drop_ratio=drop_ratio) for ref in streams]


def _sliding(reader: Reader, ref: StreamRef, slide: Span, place: tuple[int, int]) -> StreamRef:
    if ref.window is None:
        reader.fail(f"{ref.called!r} has no window that could slide", "write KEEP 3 SECONDS after the stream", place)
    if ref.window.slide is not None:
        reader.fail(f"the window of {ref.called!r} has a slide already", "leave one out", place)
    return replace(ref, window=replace(ref.window, slide=slide))
