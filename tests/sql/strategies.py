"""Random trees of statements, and random texts near to valid ones."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from hypothesis import strategies as st

from slackwater.sql.expressions import checked_expression
from slackwater.sql.functions import AGGREGATES, LOCAL
from slackwater.sql.tokens import tokenize
from slackwater.sql.tree import (
    ColumnRef,
    CreateSink,
    CreateStream,
    EarlyClause,
    Expression,
    Item,
    LateClause,
    Options,
    Promise,
    Query,
    Script,
    Setting,
    StreamRef,
    Ticks,
    Window,
)
from slackwater.time import Duration


def expression(text: str) -> Expression:
    return checked_expression(text, tokenize(text)[:-1])


NAMES = st.sampled_from(["bus", "scats", "a", "S1", "my bus", "order", "From", "häuser", "x`y", "late", "_1", "1st"])
DURATIONS = st.integers(1, 10**10).map(Duration)
SHARES = st.decimals(0, 1, places=4, allow_nan=False).map(lambda share: Decimal(f"{share:f}"))
SPANS = DURATIONS | st.integers(1, 1000).map(lambda count: Ticks(Decimal(count)))
ATOMS = st.sampled_from(
    ["a", "bus.late", "`my bus`.x", "5", "0.25", "1e3", "10L", "'it''s'", "NULL", "late", "-x", "window.end"]
)
OPERATORS = st.sampled_from(
    ["+", "-", "*", "/", "%", "=", "<", ">=", "<>", "AND", "OR", "||", "- -", "IS NOT DISTINCT FROM"]
)
CALLS = st.sampled_from(
    ["abs({})", "NOT ({})", "({})", "CASE WHEN {} > 1 THEN 2 ELSE 3 END", "CAST({} AS DECIMAL(10,2))"]
)
TEXTS = st.recursive(
    ATOMS,
    lambda inner: (
        st.tuples(inner, OPERATORS, inner).map(" ".join)
        | st.tuples(CALLS, inner).map(lambda pair: pair[0].format(pair[1]))
    ),
    max_leaves=6,
)
EXPRESSIONS = TEXTS.map(expression)
STARS = st.sampled_from(["*", "bus.*"]).map(expression)
OPTIONAL_NAME = st.none() | NAMES


def maybe(strategy):
    return st.none() | strategy


PACE = {"every": maybe(DURATIONS), "cap": maybe(DURATIONS)}
CONTROLLER = {"by": st.none() | st.sampled_from(["needed", "model-search", "pd"])}
PROMISES = st.one_of(
    st.builds(Promise, st.sampled_from(["recall", "drop"]), SHARES, over=maybe(DURATIONS), **PACE, **CONTROLLER),
    st.builds(
        Promise,
        st.just("error"),
        SHARES,
        confidence=maybe(SHARES),
        of=st.lists(NAMES, max_size=2).map(tuple),
        **PACE,
        **CONTROLLER,
    ),
    st.builds(Promise, st.just("deadline"), span=DURATIONS, latency=maybe(DURATIONS), **PACE, **CONTROLLER),
    st.builds(Promise, st.just("fixed"), span=DURATIONS, **PACE),
    st.builds(Promise, st.sampled_from(["max", "none"]), **PACE),
    st.builds(Promise, st.just("punctuations"), cap=maybe(DURATIONS)),
)
WINDOWS = st.builds(Window, SPANS, maybe(SPANS), st.sampled_from(["both", "right"]))
STREAM_REFS = st.builds(StreamRef, NAMES, OPTIONAL_NAME) | st.builds(
    StreamRef, NAMES, OPTIONAL_NAME, WINDOWS, maybe(SHARES)
)
EARLY = st.builds(
    EarlyClause,
    maybe(SHARES),
    maybe(DURATIONS),
    st.lists(DURATIONS, max_size=2).map(tuple),
    maybe(SHARES),
    maybe(SHARES),
    st.booleans(),
)
LATE = st.builds(LateClause, st.just("side"), NAMES) | st.builds(
    LateClause, st.sampled_from(["drop", "raise", "adjust"])
)
NAME_LISTS = st.lists(NAMES, max_size=3).map(tuple)


@st.composite
def froms(draw, deep):
    """Return what FROM may have: whether it is merged, its streams, and windows of what these give."""
    refs = STREAM_REFS if not deep else STREAM_REFS | nested_refs()
    merged, streams = draw(st.booleans()), tuple(draw(st.lists(refs, min_size=1, max_size=3)))
    has_last = merged or (len(streams) > 1 and all(ref.window is not None for ref in streams))
    return {"merged": merged, "streams": streams, "window": draw(maybe(WINDOWS)) if has_last else None}


@st.composite
def nested_refs(draw):
    inner = replace(draw(queries(deep=False)), into=None, decisions=None)
    return StreamRef("", draw(OPTIONAL_NAME), draw(WINDOWS), draw(maybe(SHARES)), inner)


@st.composite
def groups(draw, streams):
    called = [ref.called for ref in streams if ref.called]
    stream = maybe(st.sampled_from(called)) if called else st.none()
    return tuple(draw(st.lists(st.builds(ColumnRef, NAMES, stream), max_size=3)))


@st.composite
def queries(draw, deep=True):
    buckets = draw(st.none() | st.integers(1, 64))
    given = draw(froms(deep))
    return Query(
        items=tuple(
            draw(st.lists(st.builds(Item, EXPRESSIONS, OPTIONAL_NAME) | st.builds(Item, STARS), min_size=1, max_size=3))
        ),
        **given,
        where=draw(maybe(EXPRESSIONS)),
        group_by=draw(groups(given["streams"])),
        partition_by=draw(NAME_LISTS),
        promises=tuple(draw(st.lists(PROMISES, max_size=3))),
        early=draw(maybe(EARLY)),
        late=draw(maybe(LATE)),
        into=draw(OPTIONAL_NAME),
        decisions=draw(OPTIONAL_NAME),
        buckets=buckets,
        pooled=draw(st.booleans()) if buckets is not None else False,
        empty=draw(st.booleans()),
    )


OPTION_NAMES = st.sampled_from(["path", "format", "kafka.bootstrap.servers", "a b", "from"]) | st.text(max_size=5)
LITERALS = st.text(max_size=8) | st.booleans() | st.decimals(-1000, 1000, places=2, allow_nan=False)
OPTIONS = st.dictionaries(OPTION_NAMES, LITERALS, min_size=1, max_size=3).map(
    lambda pairs: Options(tuple(pairs.items()))
)
TYPES = st.sampled_from(["BIGINT", "STRING", "DECIMAL(10, 2)", "STRUCT<x: BIGINT, y: ARRAY<INT>>", "TIMESTAMP"])
COLUMNS = st.dictionaries(NAMES, TYPES, max_size=3).map(lambda pairs: tuple(pairs.items()))
STATEMENTS = st.one_of(
    queries(),
    st.builds(CreateStream, NAMES, COLUMNS, OPTIONS),
    st.builds(CreateSink, NAMES, OPTIONS),
    st.builds(Setting, OPTION_NAMES, LITERALS),
)
SCRIPTS = st.lists(STATEMENTS, max_size=3).map(lambda statements: Script(tuple(statements)))

WORDS = st.sampled_from(
    [
        "SELECT",
        "*",
        "FROM",
        "bus",
        "scats",
        "[",
        "]",
        "(",
        ")",
        ",",
        ".",
        ";",
        "RANGE",
        "5",
        "SECONDS",
        "SLIDE",
        "WINDOW",
        "KEEP",
        "WHERE",
        "bus.area",
        "=",
        "scats.area",
        "WITH",
        "RECALL",
        "0.99",
        "OVER",
        "1",
        "MINUTE",
        "DROP",
        "%",
        "WITHIN",
        "ERROR",
        "DEADLINE",
        "EARLY",
        "LATE",
        "TO",
        "side",
        "GROUP",
        "BY",
        "line",
        "max(delay)",
        "count(*)",
        "AS",
        "n",
        "MERGE",
        "AND",
        "NO",
        "SLACK",
        "'text'",
        "`q`",
        "--",
        "/*",
        "*/",
        "CREATE",
        "STREAM",
        "SINK",
        "INSERT",
        "INTO",
        "SET",
        "NULL",
        "CASE",
        "WHEN",
        "END",
        "NOT",
        "IN",
        "ts",
        "+",
        "-",
        "/",
        "<>",
        "||",
        "::",
        "INTERVAL",
    ]
)

# Expressions over the columns of `fuzz_streams`, most of which make no sense.
_ODD = st.sampled_from(
    [
        *("ts", "delay", "area", "bus.line", "scats.flow", "window.end", "event_time", "bus", "nosuch", "`delay`"),
        *("5", "-1", "1.5", "10L", "''", "NULL", "TRUE", "X'ff'", "INTERVAL 5 SECONDS", "DATE '2020-01-01'", "?", ":p"),
        *("*", "stream"),
    ]
)
_OTHERS = ("xxhash64", "struct", "explode", "rand", "lag", "first")
_FUNCTIONS = st.sampled_from([*sorted(LOCAL), *sorted(AGGREGATES), *_OTHERS])
_JOINTS = st.sampled_from([" + ", " / ", " = ", " AND ", " || ", " LIKE ", " IN ", " IS ", " :: ", " . ", " OVER "])
_TYPES = st.sampled_from(["INT", "STRING", "TIMESTAMP", "ARRAY<INT>", "nosuch"])
CHAOS = st.recursive(
    _ODD,
    lambda inner: st.one_of(
        st.tuples(inner, _JOINTS, inner).map("".join),
        st.tuples(_FUNCTIONS, st.lists(inner, max_size=3)).map(lambda call: f"{call[0]}({', '.join(call[1])})"),
        st.tuples(inner, _TYPES).map(lambda pair: f"CAST({pair[0]} AS {pair[1]})"),
        inner.map("(SELECT {})".format),
    ),
    max_leaves=5,
)
FORMS = st.sampled_from(
    [
        "SELECT {} AS a FROM bus WITH SLACK 1 s",
        "SELECT ts FROM bus WHERE {} WITH NO SLACK",
        "SELECT {} AS a FROM bus [5 s], scats [5 s] WITH NO SLACK",
        "SELECT * FROM bus [5 s], scats [5 s] WHERE {} WITH NO SLACK",
        "SELECT {} AS a, max({}) AS b FROM bus [10 s, SLIDE 5 s] GROUP BY line WITH NO SLACK EARLY 25%",
        "SELECT sum({}) AS a FROM bus [10 s] WITH NO SLACK",
        "SELECT {} AS a FROM MERGE(bus, scats) WITH NO SLACK",
        "SELECT {} AS a, max({}) AS b FROM bus [5 s], scats [5 s] WINDOW [9 s, SLIDE 3 s] GROUP BY line WITH NO SLACK",
        "SELECT max({}) AS b FROM (SELECT delay, {} AS x FROM bus [5 s], scats [5 s] WITH NO SLACK) [9 s, SLIDE 9 s]",
        "SELECT max({}) AS b FROM (SELECT max({}) AS x FROM bus [5 s, SLIDE 5 s] WITH NO SLACK) [10 s, SLIDE 10 s]",
        "SELECT max({}) AS b FROM MERGE(bus, scats) WINDOW [9 s, SLIDE 9 s] GROUP BY stream WITH NO SLACK",
    ]
)
