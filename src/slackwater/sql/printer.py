"""From tree to text: what is printed is read back as the same tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from slackwater.sql.tokens import quoted
from slackwater.sql.tree import (
    CreateSink,
    CreateStream,
    EarlyClause,
    Item,
    LateClause,
    Literals,
    Options,
    Promise,
    Query,
    Script,
    Setting,
    Span,
    Statement,
    StreamRef,
    Ticks,
    Window,
)

_HEADS = {"recall": "RECALL", "drop": "DROP", "error": "ERROR", "deadline": "DEADLINE", "fixed": "SLACK"}
_WHOLE = {"max": "MAX SLACK", "none": "NO SLACK", "punctuations": "PUNCTUATIONS"}


def print_script(script: Script) -> str:
    """Write all statements, each with its semicolon.

    >>> from slackwater.sql.parser import parse
    >>> print(print_script(parse("select max(value) from Sensors [range 5 minutes, dratio 1%]")))
    SELECT max(value)
    FROM Sensors [RANGE 5 minutes, DRATIO 0.01];
    """
    return "\n\n".join(f"{print_statement(each)};" for each in script.statements)


def print_statement(statement: Statement) -> str:
    """Write one statement."""
    match statement:
        case Query():
            return "\n".join(_query(statement))
        case CreateStream():
            columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in statement.columns)
            listed = f" ({columns})" if columns else ""
            return f"CREATE STREAM {quoted(statement.name)}{listed}\nWITH ({_options(statement.options)})"
        case CreateSink():
            return f"CREATE SINK {quoted(statement.name)}\nWITH ({_options(statement.options)})"
        case Setting():
            return f"SET {_option_name(statement.name)} = {_literal(statement.value)}"


def _query(query: Query) -> Iterator[str]:
    if query.into is not None:
        yield f"INSERT INTO {quoted(query.into)}"
    yield "SELECT " + ", ".join(map(_item, query.items))
    streams = ", ".join(map(_stream_ref, query.streams))
    yield f"FROM MERGE({streams})" if query.merged else f"FROM {streams}"
    if query.where is not None:
        yield f"WHERE {query.where.text}"
    if query.window is not None:
        yield f"WINDOW {_window(query.window)}"
    if query.group_by:
        yield "GROUP BY " + ", ".join(".".join(map(quoted, column.parts)) for column in query.group_by)
    if query.partition_by:
        yield f"PARTITION BY {_names(query.partition_by)}"
    if query.promises:
        yield "WITH " + "\nAND ".join(map(_promise, query.promises))
    yield from _rest(query)


def _rest(query: Query) -> Iterator[str]:
    if query.early is not None:
        yield _early(query.early)
    if query.late is not None:
        yield _late(query.late)
    if query.decisions is not None:
        yield f"DECISIONS TO {quoted(query.decisions)}"
    if query.buckets is not None:
        yield f"BUCKETS {query.buckets}" + (" POOLED" if query.pooled else "")
    if query.empty:
        yield "EMPTY WINDOWS"


def _item(item: Item) -> str:
    return item.expression.text + (f" AS {quoted(item.alias)}" if item.alias is not None else "")


def _stream_ref(ref: StreamRef) -> str:
    name = quoted(ref.name) if ref.query is None else "(" + "\n".join(_query(ref.query)) + ")"
    name += f" AS {quoted(ref.alias)}" if ref.alias is not None else ""
    return name if ref.window is None else f"{name} {_window(ref.window, ref.drop_ratio)}"


def _window(window: Window, drop_ratio: Decimal | None = None) -> str:
    head = "KEEP" if window.closed == "right" else "RANGE"
    parts = [f"{head} {span_text(window.size)}"]
    if window.slide is not None:
        parts.append(f"SLIDE {span_text(window.slide)}")
    if drop_ratio is not None:
        parts.append(f"DRATIO {number_text(drop_ratio)}")
    return f"[{', '.join(parts)}]"


def span_text(span: Span) -> str:
    """Write a duration, or a number that has the unit of its stream."""
    return number_text(span.count) if isinstance(span, Ticks) else str(span)


def _promise(promise: Promise) -> str:
    parts = [_WHOLE.get(promise.kind) or _HEADS[promise.kind]]
    for value in (promise.share, promise.span):
        if value is not None:
            parts.append(number_text(value) if isinstance(value, Decimal) else str(value))
    for word in ("over", "every", "cap", "by", "latency"):
        if getattr(promise, word) is not None:
            parts.append(f"{word.upper()} {getattr(promise, word)}")
    if promise.confidence is not None:
        parts.append(f"CONFIDENCE {number_text(promise.confidence)}")
    return " ".join([*parts, *([f"OF {_names(promise.of)}"] if promise.of else [])])


def _early(early: EarlyClause) -> str:
    parts = ["EARLY"]
    if early.aggressiveness is not None:
        parts.append(number_text(early.aggressiveness))
    if early.every is not None:
        parts.append(f"EVERY {early.every}")
    if early.at:
        parts.append(f"AT {', '.join(map(str, early.at))}")
    for word in ("accuracy", "confidence"):
        if getattr(early, word) is not None:
            parts.append(f"{word.upper()} {number_text(getattr(early, word))}")
    parts += ["RAW"] if early.raw else []
    return " ".join(parts) if len(parts) > 1 else "EARLY ON PRODS"


def _late(late: LateClause) -> str:
    return f"LATE TO {quoted(late.sink)}" if late.sink is not None else f"LATE {late.policy.upper()}"


def _options(options: Options) -> str:
    return ", ".join(f"{_option_name(name)} = {_literal(value)}" for name, value in options.pairs)


def _option_name(name: str) -> str:
    return name if re.fullmatch(r"[^\W0-9]\w*(\.[^\W0-9]\w*)*", name) else _literal(name)


def _literal(value: Literals) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, Decimal):
        return number_text(value)
    escaped = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def number_text(number: Decimal) -> str:
    """Write a number without an exponent."""
    return f"{number:f}"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(map(quoted, names))
