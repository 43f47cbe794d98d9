"""What a text says, as frozen values: equal trees mean the same. Places are kept beside, for errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal, TypeAlias

from slackwater.time import Duration

Place: TypeAlias = tuple[int, int]  # first character and the one after the last
NOWHERE: Place = (0, 0)


@dataclass(frozen=True)
class Expression:
    """An expression or condition in Spark's SQL, as text with spaces where they belong."""

    text: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Item:
    """A column of the results; `*` and `bus.*` are expressions too."""

    expression: Expression
    alias: str | None = None


@dataclass(frozen=True)
class Ticks:
    """A span of event time without a unit: it has that of the stream's integer times."""

    count: Decimal


Span: TypeAlias = Duration | Ticks


@dataclass(frozen=True)
class Window:
    """What of a stream is looked at: how long, how far apart, whether its older end belongs to it (not in KEEP)."""

    size: Span
    slide: Span | None = None
    closed: Literal["both", "right"] = "both"


@dataclass(frozen=True)
class StreamRef:
    """A stream, how it is called here, its window, and the drop ratio that a window may state (KIM).

    A query in its place has no name of its own.
    """

    name: str
    alias: str | None = None
    window: Window | None = None
    drop_ratio: Decimal | None = None
    query: Query | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    @property
    def called(self) -> str:
        """The name by which columns refer to it."""
        return self.alias or self.name


@dataclass(frozen=True)
class ColumnRef:
    """A column, with its stream where that is written before it."""

    name: str
    stream: str | None = None

    @property
    def parts(self) -> list[str]:
        """The stream, if there is one, and the column."""
        return [self.name] if self.stream is None else [self.stream, self.name]


PromiseKind = Literal["recall", "drop", "error", "deadline", "fixed", "max", "none", "punctuations"]


@dataclass(frozen=True)
class Promise:
    """A contract: what it is about, its number or duration, its clauses."""

    kind: PromiseKind
    share: Decimal | None = None
    span: Duration | None = None
    over: Duration | None = None
    every: Duration | None = None
    cap: Duration | None = None
    by: str | None = None  # a controller
    latency: Duration | None = None
    confidence: Decimal | None = None
    of: tuple[str, ...] = ()
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class EarlyClause:
    """When windows are shown early; nothing set: when a prod asks."""

    aggressiveness: Decimal | None = None
    every: Duration | None = None
    at: tuple[Duration, ...] = ()
    accuracy: Decimal | None = None
    confidence: Decimal | None = None
    raw: bool = False
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class LateClause:
    """What happens to late rows: a policy, and the sink they go to where it is "side"."""

    policy: Literal["side", "drop", "raise", "adjust"] = "side"
    sink: str | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Query:
    """A SELECT. `merged`: its streams are merged into one, instead of joined; `window`: of what these give."""

    items: tuple[Item, ...]
    streams: tuple[StreamRef, ...]
    merged: bool = False
    where: Expression | None = None
    window: Window | None = None
    group_by: tuple[ColumnRef, ...] = ()
    partition_by: tuple[str, ...] = ()
    promises: tuple[Promise, ...] = ()
    early: EarlyClause | None = None
    late: LateClause | None = None
    into: str | None = None
    decisions: str | None = None  # a sink
    buckets: int | None = None
    pooled: bool = False  # one slack for all buckets
    empty: bool = False  # windows without rows have results
    place: Place = field(default=NOWHERE, compare=False, repr=False)
    places: Mapping[str, Place] = field(default_factory=dict, compare=False, repr=False, hash=False)

    def place_of(self, clause: str) -> Place:
        """Return where a clause stands; that of the query where it has none."""
        return self.places.get(clause, self.place)

    @property
    def below(self) -> Query | None:
        """The query whose results this one aggregates: that in FROM, or all but the last windows of this one."""
        if self.streams[0].query is not None or self.window is None:
            return self.streams[0].query
        rows = replace(self, items=(Item(Expression("*")),), window=None, group_by=(), early=None, empty=False)
        return replace(rows, into=None, decisions=None)

    @property
    def first(self) -> Query:
        """The query that rows come to: its contract and what it does with late rows hold for all."""
        return self if self.below is None else self.below.first


Literals: TypeAlias = str | Decimal | bool


@dataclass(frozen=True)
class Options:
    """`WITH (path = 'in', ...)`: names and values, in the order in which they were written."""

    pairs: tuple[tuple[str, Literals], ...] = ()
    places: tuple[Place, ...] = field(default=(), compare=False, repr=False)

    def get(self, name: str) -> Literals | None:
        """Return a value, where there is one."""
        return dict(self.pairs).get(name)


@dataclass(frozen=True)
class CreateStream:
    """Where a stream comes from; `columns` are names and types in Spark's words, where they are stated."""

    name: str
    columns: tuple[tuple[str, str], ...]
    options: Options
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class CreateSink:
    """Where rows go to."""

    name: str
    options: Options
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Setting:
    """`SET engine = 'spark'`."""

    name: str
    value: Literals
    place: Place = field(default=NOWHERE, compare=False, repr=False)


Statement: TypeAlias = CreateStream | CreateSink | Setting | Query


@dataclass(frozen=True)
class Script:
    """All statements of a text, and the text itself, for errors."""

    statements: tuple[Statement, ...]
    text: str = field(default="", compare=False, repr=False)
