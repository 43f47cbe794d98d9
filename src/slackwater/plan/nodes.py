"""The nodes of a plan: what is to be done, not how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeVar

from slackwater.contracts import Contract, DropRatio, FixedSlack, MaxSlack, NoSlack, RelativeError
from slackwater.core.late import LatePolicy
from slackwater.core.panes import Panes
from slackwater.deadline import Deadline
from slackwater.early import Early
from slackwater.plan.conjuncts import JoinCondition
from slackwater.plan.values import Value, count
from slackwater.sideline import Sideline
from slackwater.time import Duration

Unit = Literal["s", "ms", "us", "ns"]
ROWS = "__slackwater_rows"  # a value that no result has


@dataclass(frozen=True, kw_only=True)
class StreamNode:
    """One input: its name and what its columns mean."""

    name: str
    event_time: str
    unit: Unit | None = None  # of integer event times
    arrival: str | None = None  # orders rows by arrival; equal values arrived together
    arrival_time: str | None = None  # processing time of arrival, for the guard against clocks from the future
    max_ahead: Duration | None = None
    idle_after: Duration | None = None
    marker: str | None = None  # says which rows are prods or punctuations, for an aggregate
    since: str | None = None  # where the range of a punctuation begins


@dataclass(frozen=True, kw_only=True)
class ReorderNode:
    """One stream in event-time order."""

    stream: StreamNode
    contract: Contract
    late: LatePolicy = field(default_factory=LatePolicy.side)
    release: Literal["arrival", "clock"] = "arrival"
    by: tuple[str, ...] = ()
    buckets: int = 1

    operator = "reorder"


@dataclass(frozen=True, kw_only=True)
class StreamsNode:
    """Several streams that wait for each other: what a merge and a join share."""

    streams: tuple[StreamNode, ...]
    windows: tuple[Duration, ...] = ()  # of each stream, where its events wait for partners
    contract: Contract
    late: LatePolicy = field(default_factory=LatePolicy.side)
    release: Literal["arrival", "clock"] = "arrival"
    synchronize: bool = True
    buckets: int = 1

    operator: ClassVar[str]

    @property
    def is_pooled(self) -> bool:
        """Whether the driver decides for all buckets."""
        return False

    @property
    def is_told(self) -> bool:
        """Whether buckets follow a slack that comes as a control record: the driver's, or a deadline's tuner's."""
        return self.is_pooled or isinstance(self.contract, Deadline)


@dataclass(frozen=True, kw_only=True)
class MergeNode(StreamsNode):
    """The rows of m streams in one order: by event time, then stream, then arrival."""

    payload: Literal["columns", "structs"]  # of results: the columns that all streams share, or a struct for each
    by: tuple[str, ...] = ()  # keys by whose hash rows go to buckets, each with an order of its own

    operator = "merge"


@dataclass(frozen=True, kw_only=True)
class JoinNode(StreamsNode):
    """Combinations of m streams within sliding windows."""

    condition: JoinCondition
    closed: Literal["both", "right"] = "both"
    situation2: bool = False
    scope: Literal["bucket", "global"] = "bucket"  # whether each bucket decides its slack, or the driver for all

    operator = "join"

    @property
    def is_pooled(self) -> bool:
        """Whether the driver decides for all buckets; of one bucket there is nothing to add up."""
        return self.scope == "global" and self.buckets > 1


@dataclass(frozen=True, kw_only=True)
class AggregateNode:
    """Aggregates of one stream over sliding windows, for each group."""

    stream: StreamNode
    size: Duration
    slide: Duration
    values: tuple[tuple[str, Value], ...]  # each with the name of its column in the results
    contract: Contract
    by: tuple[str, ...] = ()
    late: LatePolicy = field(default_factory=LatePolicy.side)
    buckets: int = 1
    early: Early | None = None  # None: final results only
    empty: bool = False  # whether windows without rows have results too
    below: AggregateNode | None = None  # whose results are aggregated; None: those of the stream
    counted: tuple[str, ...] = ()  # the values that a bound on the error is about
    estimated: tuple[str, ...] = ()  # the values whose early results are compared with final ones: numbers
    sideline: Sideline | None = None  # None: no row of a burst is set aside
    top: tuple[int, str] | None = None  # of each window, only so many groups with the largest of a value; None: all

    operator = "aggregate"

    @property
    def panes(self) -> Panes:
        """The windows in numbers."""
        return Panes(self.size.microseconds, self.slide.microseconds)

    @property
    def reach(self) -> int | None:
        """For how many windows after its last row a group is reported without rows: those of one size; None: all."""
        return -(-self.size.microseconds // self.slide.microseconds) if self.by else None

    @property
    def compares_early(self) -> bool:
        """Whether early results are compared with final ones. A plan of several aggregates shows what has come."""
        if self.early is None or self.below is not None:
            return False
        return self.early.estimate == "corrected" or self.early.accuracy is not None

    @property
    def corrects_early(self) -> bool:
        """Whether early results are what is expected in the end, with intervals."""
        return self.compares_early and self.early is not None and self.early.estimate == "corrected"

    @property
    def computed(self) -> tuple[tuple[str, Value], ...]:
        """What is computed: the values, and last the number of rows if it is needed and not among them."""
        if not self.compares_early or self._counts_rows is not None:
            return self.values
        return (*self.values, (ROWS, count()))

    @property
    def row_count(self) -> int:
        """Which of `computed` is the number of rows, where early results are compared."""
        return len(self.values) if self._counts_rows is None else self._counts_rows

    @property
    def _counts_rows(self) -> int | None:
        return next((place for place, (_, value) in enumerate(self.values) if value == count()), None)

    @property
    def can_be_added_up(self) -> bool:
        """Whether rows of a batch may be added up by pane before their bucket sees them: none has to be seen alone.

        They must arrive together, none may be a mark or be set aside, and neither a controller nor estimates may learn
        from single rows: those that contracts have by default need the largest delay, or what whole panes need.
        """
        stream, contract = self.stream, self.levels[0].contract
        seen_alone = stream.arrival or stream.marker or self.levels[0].sideline or self.compares_early
        needs_little = isinstance(contract, NoSlack | FixedSlack | MaxSlack | DropRatio | RelativeError)
        return not seen_alone and needs_little and contract.controller is None

    @property
    def levels(self) -> tuple[AggregateNode, ...]:
        """The aggregates of the plan, from that of the stream up to this one."""
        return (self,) if self.below is None else (*self.below.levels, self)


Node = TypeVar("Node", bound=ReorderNode | AggregateNode | StreamsNode)


def streams_of(node: ReorderNode | AggregateNode | StreamsNode) -> tuple[StreamNode, ...]:
    """Return the inputs of a plan."""
    return node.streams if isinstance(node, StreamsNode) else (node.stream,)


def patient(node: Node) -> Node:
    """Return a plan in which silent streams are waited for no longer than its contract allows."""
    return _with_streams(node, lambda stream: replace(stream, idle_after=stream.idle_after or node.contract.patience))


def endlessly_patient(node: Node) -> Node:
    """Return a plan in which silent streams are waited for as long as it runs."""
    return _with_streams(node, lambda stream: replace(stream, idle_after=None))


def _with_streams(node: Node, change: Callable[[StreamNode], StreamNode]) -> Node:
    if isinstance(node, StreamsNode):
        return replace(node, streams=tuple(map(change, node.streams)))
    return replace(node, stream=change(node.stream))
