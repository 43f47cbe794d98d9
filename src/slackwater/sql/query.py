"""The parser of SELECT."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slackwater.sql.clauses import begins_promise, read_early, read_late, read_promises
from slackwater.sql.expressions import read_expression
from slackwater.sql.tokens import CLAUSES, RESERVED
from slackwater.sql.tree import ColumnRef, Item, Place, Query, StreamRef
from slackwater.sql.windows import read_last_window, read_window, with_window
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from slackwater.sql.reader import Reader

_PLACES = "places"  # of clauses, by their names
_DEEPEST = 10  # queries within queries
_LATER = ("WHERE", "GROUP", "PARTITION", "WITH", "WITHIN", "DEADLINE", "EARLY", "LATE", "DECISIONS", "INTO", "WINDOW")
_UNKNOWN: Mapping[str, str] = {
    "HAVING": "put a filter over the results of the query instead",
    "ORDER": "results leave in event-time order already",
    "LIMIT": "a stream has no end; take the first rows of the results",
    "UNION": "streams are merged by FROM MERGE(bus, scats)",
    **dict.fromkeys(
        ("JOIN", "INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "NATURAL"),
        "joins are FROM bus [2 SECONDS], scats [2 SECONDS] WHERE bus.area = scats.area; there are no outer joins",
    ),
}


def read_query(reader: Reader, *, into: str | None = None, depth: int = 0) -> Query:
    """Read a SELECT with all its clauses, which may come in any order after FROM; `depth`: of queries around it."""
    start = reader.position
    if depth > _DEEPEST:
        reader.fail(f"queries are nested more than {_DEEPEST} deep")
    reader.word("SELECT")
    _check_distinct(reader)
    items = tuple(reader.listed(lambda: _item(reader)))
    fields: dict[str, Any] = {"into": into} if into is not None else {}
    if reader.next.is_word("INTO"):
        _clause(reader, fields, [])
    reader.word("FROM")
    merged, streams = _streams(reader, depth)
    while _clause(reader, fields, streams, merged=merged):
        pass
    _check_end(reader, nested=depth > 0)
    if depth:
        _refuse_outputs(reader, fields)
    places = {**fields.pop(_PLACES, {}), "from": streams[0].place}
    if "where" in fields:
        places["where"] = fields["where"].place
    return Query(items, tuple(streams), merged, **_tuples(fields), place=reader.place_from(start), places=places)


def _check_distinct(reader: Reader) -> None:
    """Refuse SELECT DISTINCT, which is not a column of that name: something that is selected follows."""
    if reader.next.is_word("DISTINCT"):
        following = reader.tokens[reader.position + 1]
        if following.kind in ("word", "quoted") and not following.is_word("FROM", "INTO", "AS"):
            reader.fail("there is no SELECT DISTINCT", "GROUP BY the columns, in windows")


def _item(reader: Reader) -> Item:
    expression = read_expression(reader, "a column or an expression", ends=("FROM", "INTO"))
    alias = reader.name("a name for the column") if reader.takes_word("AS") else None
    return Item(expression, alias)


def _refuse_outputs(reader: Reader, fields: dict[str, Any]) -> None:
    """Refuse outputs of a query within another: what it gives goes to that one."""
    for clause in ("into", "decisions"):
        if clause in fields:
            remedy = "write it after the closing bracket"
            reader.fail("a query within another has no sinks", remedy, fields[_PLACES][clause])


def _streams(reader: Reader, depth: int) -> tuple[bool, list[StreamRef]]:
    if not reader.next.is_word("MERGE"):
        return False, reader.listed(lambda: _stream_ref(reader, depth))
    reader.take()
    reader.symbol("(")
    streams = reader.listed(lambda: _stream_ref(reader, depth))
    reader.symbol(")")
    return True, streams


def _stream_ref(reader: Reader, depth: int) -> StreamRef:
    start = reader.position
    query, name = None, ""
    if reader.takes_symbol("("):
        query = read_query(reader, depth=depth + 1)
        reader.symbol(")")
    else:
        name = reader.name("the name of a stream")
    alias = None
    if reader.takes_word("AS") or (
        reader.next.kind in ("word", "quoted") and not reader.next.is_word("KEEP", *CLAUSES, *_UNKNOWN)
    ):
        alias = reader.name("a name for the stream")
    ref = StreamRef(name, alias, query=query, place=reader.place_from(start))
    if reader.next.is_symbol("[") or reader.next.is_word("KEEP"):
        before = reader.position
        window, drop_ratio = read_window(reader)
        _refuse_alias(reader, ref, reader.place_from(before))
        return replace(ref, window=window, drop_ratio=drop_ratio, place=reader.place_from(start))
    return ref


def _refuse_alias(reader: Reader, ref: StreamRef, window: Place) -> None:
    """Refuse a name for a stream behind its window; a word there may also be a misspelled clause."""
    has_as = reader.next.is_word("AS")
    name = reader.ahead() if has_as else reader.next
    if name.kind not in ("word", "quoted") or (name.kind == "word" and name.text.upper() in RESERVED):
        return
    if has_as or not (reader.next.is_word(*_UNKNOWN, *CLAUSES) or did_you_mean(name.text.upper(), CLAUSES)):
        stream = "(SELECT ...)" if ref.query is not None else reader.text[slice(*ref.place)]
        remedy = f"write {stream} AS {name.text} {reader.text[slice(*window)]}"
        reader.fail("the name of a stream goes before its window", remedy, (reader.next.start, name.stop))


def _clause(reader: Reader, fields: dict[str, Any], streams: list[StreamRef], *, merged: bool = False) -> bool:
    """Read one clause into the fields or the streams; say whether there was one."""
    if begins_promise(reader):
        start = reader.position
        fields["promises"] = [*fields.get("promises", []), *read_promises(reader)]
        _keep_place(reader, fields, "promises", start)
        return True
    word = reader.next.text.upper() if reader.next.kind == "word" else ""
    match word:
        case "WHERE":
            _once(reader, fields, "where", lambda: read_expression(reader, "a condition"))
        case "WINDOW" if merged or (len(streams) > 1 and all(ref.window is not None for ref in streams)):
            _once(reader, fields, "window", lambda: read_last_window(reader))
        case "WINDOW" | "SLIDE":
            streams[:] = with_window(reader, streams)
        case "GROUP":
            _once(reader, fields, "group_by", lambda: _by(reader, streams))
        case "PARTITION":
            _once(reader, fields, "partition_by", lambda: tuple(each.name for each in _by(reader, streams)))
        case "EARLY":
            _once(reader, fields, "early", lambda: read_early(reader))
        case "LATE":
            _once(reader, fields, "late", lambda: read_late(reader))
        case "DECISIONS":
            _once(reader, fields, "decisions", lambda: _sink(reader))
        case "INTO":
            _once(reader, fields, "into", lambda: reader.name("the name of a sink"))
        case "BUCKETS":
            _once(reader, fields, "buckets", lambda: _count(reader))
            fields["pooled"] = reader.takes_word("POOLED")
        case "EMPTY":
            _once(reader, fields, "empty", lambda: bool(reader.word("WINDOWS")))
        case _:
            return False
    return True


def _once(reader: Reader, fields: dict[str, Any], name: str, read: Callable[[], Any]) -> None:
    token = reader.next
    if name in fields:
        reader.fail(f"there are two clauses of this kind: {token.text.upper()}", "leave one out")
    start = reader.position
    reader.take()
    fields[name] = read()
    _keep_place(reader, fields, name, start)


def _keep_place(reader: Reader, fields: dict[str, Any], name: str, start: int) -> None:
    fields.setdefault(_PLACES, {})[name] = reader.place_from(start)


def _by(reader: Reader, streams: list[StreamRef]) -> tuple[ColumnRef, ...]:
    reader.word("BY")
    return tuple(reader.listed(lambda: _column(reader, streams)))


def _column(reader: Reader, streams: list[StreamRef]) -> ColumnRef:
    """Read a column; the name of its stream may stand before it."""
    first = reader.next
    name = reader.name("a column")
    if not reader.takes_symbol("."):
        return ColumnRef(name)
    called = [each for ref in streams for each in _called(ref)]
    if name.lower() not in (each.lower() for each in called):
        reader.fail(
            f"{name!r} is no stream of this query", f"streams are: {', '.join(called)}", (first.start, first.stop)
        )
    return ColumnRef(reader.name("a column"), name)


def _called(ref: StreamRef) -> list[str]:
    """Return the names that columns may have before them; `SELECT *` of a query gives those of its streams too."""
    within = () if ref.query is None else ref.query.streams
    return [*([ref.called] if ref.called else []), *(name for each in within for name in _called(each))]


def _sink(reader: Reader) -> str:
    reader.word("TO")
    return reader.name("the name of a sink")


def _count(reader: Reader) -> int:
    token = reader.next
    count = reader.number("a number of buckets")
    if count != int(count) or not 1 <= count <= 100_000:
        reader.fail("buckets are counted: 1, 2, ...", place=(token.start, token.stop))
    return int(count)


def _check_end(reader: Reader, *, nested: bool) -> None:
    token = reader.next
    if token.is_symbol(")") if nested else (token.kind == "end" or token.is_symbol(";")):
        return
    if token.is_word(*_UNKNOWN):
        reader.fail(f"there is no {token.text.upper()} here", _UNKNOWN[token.text.upper()])
    words = (*_LATER, "KEEP", "SLIDE", "BUCKETS", "EMPTY")
    before = reader.tokens[reader.position - 1]
    meant = did_you_mean(before.text.upper(), words) if before.kind == "word" else ""
    if meant and before.text.upper() not in words:  # a misspelled clause was taken for the name of a stream
        reader.fail(f"expected a clause, got {before.text!r}", meant.strip(), (before.start, before.stop))
    if nested:
        reader.expected("a clause or ')'", words)
    reader.expected("a clause or the end", words, remedy="a statement ends with ;")


def _tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
