"""Checks of a plan that need no data: names, columns and their types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from slackwater.contracts import Contract, FixedSlack, PerPeriod, Punctuated, RelativeError
from slackwater.control.choose import controller_for, default_controller
from slackwater.control.controller import learns_from
from slackwater.errors import ColumnError, ContractMissingError, ParameterError, missing_column
from slackwater.events import LATE_COLUMNS
from slackwater.time import Duration

if TYPE_CHECKING:
    from slackwater.plan.nodes import JoinNode, ReorderNode, StreamNode, StreamsNode


def check_columns(node: StreamNode, columns: Sequence[str]) -> None:
    """Check that the columns a stream names exist, and that no two share a name."""
    for column in (node.event_time, node.arrival, node.arrival_time, node.marker, node.since):
        if column is not None and column not in columns:
            raise missing_column(node.name, column, columns)
    for column, count in Counter(columns).items():
        if count > 1:
            raise ColumnError(
                node.name, column, problem=f"exists {count} times", remedy="give every column its own name"
            )


def check_names(streams: Sequence[StreamNode]) -> None:
    """Check that no two streams of one operator share a name, for Spark whatever the case."""
    for name, count in Counter(stream.name.casefold() for stream in streams).items():
        if count > 1:
            raise ParameterError(
                "name", name, must="be given to one stream only", remedy="name each stream differently"
            )


def check_unmarked(streams: Sequence[StreamNode]) -> None:
    """Refuse marked rows where an operator would take them for events."""
    for stream in streams:
        if stream.marker is not None:
            raise ParameterError(
                "marker",
                stream.marker,
                must="be left out for this operator",
                remedy="sw.aggregate alone knows prods and punctuations: filter such rows out",
            )


def check_contract(operator: str, contract: Any) -> Contract:
    """Check that there is a contract, and that it is one."""
    if contract is None:
        raise ContractMissingError(operator)
    if not isinstance(contract, Contract) or type(contract) is Contract:
        remedy = 'sw.Recall(0.99, over="1 minute")' if operator == "join" else "sw.DropRatio(0.01)"
        raise ParameterError("contract", contract, must="be a contract", remedy=f"such as {remedy}")
    if isinstance(contract, Punctuated) and operator != "aggregate":
        raise ParameterError(
            "contract", "Punctuated()", must="be used with sw.aggregate", remedy="nothing else knows punctuations"
        )
    if isinstance(contract, RelativeError) and operator != "aggregate":
        raise ParameterError(
            "contract",
            "RelativeError",
            must=f"be one that a {operator} can keep",
            remedy="values have errors in sw.aggregate; use sw.DropRatio here, or sw.Recall in a join",
        )
    return contract


def check_reorder(node: ReorderNode, columns: Sequence[str]) -> None:
    """Check a reorder node against the columns of its input."""
    for column in node.by:
        if column not in columns:
            raise missing_column(node.stream.name, column, columns)
    check_buckets(node.buckets)
    if node.buckets > 1 and not node.by:
        raise ParameterError("buckets", node.buckets, must="be 1 without by=", remedy='say by="key" to order per key')
    if isinstance(node.contract, FixedSlack) and node.contract.by_stream:
        raise ParameterError("slack", "one by stream", must="be one duration here", remedy="a reorder has one stream")
    if node.release not in ("arrival", "clock"):
        raise ParameterError("release", node.release, must='be "arrival" or "clock"', remedy='"arrival" waits less')
    for column in LATE_COLUMNS:
        if column in columns:
            raise ColumnError(
                node.stream.name, column, problem="has a name that the late output uses", remedy="rename it"
            )


def check_windows(streams: Sequence[StreamNode], within: Any) -> tuple[Duration, ...]:
    """Return the window of each stream: the same for all, or one by name."""
    if within is None:
        raise ParameterError("within", None, must="say how long events wait for partners", remedy='such as "5 seconds"')
    by_name = within if isinstance(within, Mapping) else {stream.name: within for stream in streams}
    names = [stream.name for stream in streams]
    if set(by_name) != set(names):
        raise ParameterError(
            "within", list(by_name), must="name every stream once", remedy=f"the streams are: {', '.join(names)}"
        )
    windows = tuple(Duration.of(by_name[name], parameter="within") for name in names)
    for name, window in zip(names, windows, strict=True):
        if not window:
            raise ParameterError(
                "within", f"0 seconds for {name}", must="be > 0", remedy='write a duration such as "5 seconds"'
            )
    return windows


def check_buckets(buckets: object) -> None:
    """Check the number of buckets."""
    if isinstance(buckets, bool) or not isinstance(buckets, int) or buckets < 1:
        raise ParameterError(
            "buckets", buckets, must="be a whole number >= 1", remedy="one bucket keeps one order over all rows"
        )


def _learns_from_arrivals(contract: Contract) -> bool:
    return learns_from(controller_for(contract)) == "arrivals"


def _check_scope(node: JoinNode) -> None:
    if node.scope not in ("bucket", "global"):
        raise ParameterError(
            "scope", node.scope, must='be "bucket" or "global"', remedy='"bucket" lets each bucket keep the contract'
        )
    if node.scope == "global" and node.contract.counts_events:
        raise ParameterError(
            "scope",
            f"global with {type(node.contract).__name__}",
            must="be used with a contract on results",
            remedy='use Recall, or scope="bucket": every bucket then keeps the share of its own rows',
        )
    if node.scope == "global" and not _learns_from_arrivals(node.contract):
        controller = node.contract.controller or default_controller(node.contract)
        raise ParameterError(
            "scope",
            f"global with {type(controller).__name__}",
            must="be used with a controller whose statistics can be added up",
            remedy='use Recall with NeededSlack(), its default, also within Speculative(); or scope="bucket"',
        )


def check_join(node: JoinNode) -> None:
    """Check what a join asks for beyond its condition and windows."""
    check_streams(node)
    if node.closed not in ("both", "right"):
        raise ParameterError("closed", node.closed, must='be "both" or "right"', remedy='"both" is [T - W, T]')
    if not node.synchronize and isinstance(node.contract, PerPeriod) and _learns_from_arrivals(node.contract):
        raise ParameterError(
            "synchronize",
            False,
            must=f"be True for the default controller of {type(node.contract).__name__}",
            remedy="its estimates hold for synchronized streams; use FixedSlack, or a controller such as ModelSearch()",
        )
    check_buckets(node.buckets)
    _check_scope(node)
    controller_for(
        node.contract, windows=tuple(each.microseconds for each in node.windows)
    )  # some know two streams only
    if node.situation2 and len(node.streams) != 2:
        raise ParameterError("situation2", True, must="be used with two streams", remedy="leave it out")
    check_struct_names(node.streams)


def check_streams(node: StreamsNode) -> None:
    """Check what a merge and a join have in common."""
    if node.late.changes_times:
        raise ParameterError(
            "late", "adjust", must='be "side", "drop" or "raise"', remedy=f"a {node.operator} cannot change event times"
        )
    if node.release not in ("arrival", "clock"):
        raise ParameterError("release", node.release, must='be "arrival" or "clock"', remedy='"arrival" waits less')
    if node.contract.deadline is not None and (node.release != "arrival" or not node.synchronize):
        raise ParameterError(
            "contract",
            "a Deadline",
            must='have release="arrival" and synchronized streams: they are read through a gate',
            remedy="leave both parameters out",
        )
    names = [stream.name for stream in node.streams]
    slacks = dict(node.contract.by_stream) if isinstance(node.contract, FixedSlack) else {}
    if slacks and set(slacks) != set(names):
        raise ParameterError(
            "slack",
            sorted(slacks),
            must="name every stream once",
            remedy=f"the streams are: {', '.join(names)}",
        )


def check_struct_names(streams: Sequence[StreamNode]) -> None:
    """Check that streams can name a column of the outputs."""
    for stream in streams:
        if stream.name in ("event_time", *LATE_COLUMNS) or not stream.name.isidentifier():
            raise ParameterError(
                "name", stream.name, must="be a plain word that no output column has", remedy="rename the stream"
            )


def check_arrivals(streams: Sequence[StreamNode]) -> None:
    """Refuse an arrival order that only some streams have: it could not be compared."""
    without = [stream.name for stream in streams if stream.arrival is None]
    if without and len(without) < len(streams):
        raise ParameterError(
            "arrival",
            f"none for {', '.join(without)}",
            must="be given for all streams or for none",
            remedy="name a column that orders the rows of all streams by arrival",
        )
