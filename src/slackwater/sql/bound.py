"""A query together with the streams that it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from slackwater.api import Stream, is_spark, schema_of
from slackwater.sql.contracts import contract_of
from slackwater.sql.places import Places
from slackwater.sql.tree import Query, Span, StreamRef, Ticks
from slackwater.time import Duration
from slackwater.wording import did_you_mean

if TYPE_CHECKING:
    from slackwater.contracts import Contract
    from slackwater.sql.items import Chosen

Added: TypeAlias = "Mapping[str, Sequence[Chosen]]"

_CONTRACTS = """such as
  WITH RECALL 0.99 OVER 1 MINUTE    miss at most one result in 100, in every minute
  WITH DROP 1% OVER 1 MINUTE        let at most one row in 100 come too late, in every minute
  WITHIN ERROR 3%                   of an aggregate: 95 % of the results at most 3 % off
  DEADLINE 6 SECONDS                wait for slower streams only as long as rows leave in time
  WITH SLACK 2 SECONDS              wait two seconds of event time for stragglers"""


# Which clause says what operators call by these names.
_PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "from": ("size", "slide", "within", "closed"),
    "window": ("size", "slide"),
    "where": ("where",),
    "group_by": ("by",),
    "partition_by": ("by",),
    "promises": ("contract", "controller", "over", "cap", "of", "confidence", "slack", "adaptation_interval"),
    "early": ("early", "aggressiveness", "accuracy", "estimate", "every", "at"),
    "late": ("late",),
    "buckets": ("buckets", "scope"),
    "empty": ("empty",),
}


@dataclass(frozen=True)
class Bound:
    """What operators are built from; streams have the names by which the query calls them."""

    query: Query
    places: Places
    streams: tuple[Stream, ...]
    contract: Contract

    @property
    def text(self) -> str:
        """The text of the query."""
        return self.places.text

    @property
    def on_spark(self) -> bool:
        """Whether Spark runs it."""
        return is_spark(self.streams[0].frame)

    @property
    def late(self) -> Literal["side", "drop", "raise", "adjust"]:
        """What happens to late rows."""
        return "side" if self.query.late is None else self.query.late.policy

    def building(self, otherwise: str = "") -> AbstractContextManager[None]:
        """Say of an error of an operator which clause it is about, or `otherwise` where it does not name it."""
        clauses = {
            parameter: self.query.places[clause]
            for clause, parameters in _PARAMETERS.items()
            for parameter in parameters
            if clause in self.query.places
        }
        return self.places.at(self.query.place_of(otherwise), clauses)

    def schemas(self) -> list[tuple[str, Any]]:
        """Return the columns of each stream, by its name."""
        return [(each.node.name, schema_of(each.frame)) for each in self.streams]

    def duration(self, span: Span, number: int = 0) -> Duration:
        """Return a span of a window; one without a unit has that of the stream's integer times."""
        if not isinstance(span, Ticks):
            return span
        unit, ref = self.streams[number].node.unit, self.query.streams[number]
        if unit is None:
            self.places.fail(ref.place, f"{ref.called} has no unit for {span.count}", "write one, such as 50 SECONDS")
        with self.places.at(ref.place):
            return Duration.of(f"{span.count:f} {unit}")


def bound(query: Query, text: str, streams: Mapping[str, Stream], contract: Contract | None) -> Bound:
    """Find the streams of a query, and its contract; `contract` holds where the text states none.

    Raises:
        SqlError: a stream is not there, two have one name, or there is no contract.
    """
    places = Places(text)
    for ref in query.streams:
        if ref.query is not None:
            remedy = "one query in FROM, with a window and a SLIDE, can be aggregated; write others INTO sinks"
            places.fail(ref.place, "queries are not joined or merged", remedy)
    found = tuple(_stream(ref, streams, places) for ref in query.streams)
    names = [each.node.name for each in found]
    for number, ref in enumerate(query.streams):
        if names[number] in names[:number]:
            places.fail(ref.place, f"two streams are called {names[number]!r}", "write AS and another name")
    stated = contract_of(query, places)
    stated = contract if stated is None else stated
    if stated is None:
        places.fail(
            (query.place[0], query.place[0] + 6), "the query needs a contract: how good must it be?", _CONTRACTS
        )
    return Bound(query, places, found, stated)


def with_added(found: Bound, added: Added) -> Bound:
    """Return the same with columns that are computed in streams, which are named as the query calls them."""
    if not added:
        return found
    from slackwater.sql.frames import with_columns

    with found.places.at(found.query.place):
        streams = (
            replace(each, frame=with_columns(each.frame, added.get(each.node.name, ()))) for each in found.streams
        )
        return replace(found, streams=tuple(streams))


def _stream(ref: StreamRef, streams: Mapping[str, Stream], places: Places) -> Stream:
    """Return a stream by its name, in upper or lower case where that leaves one; called as the query calls it."""
    near = [name for name in streams if name.lower() == ref.name.lower()]
    name = ref.name if ref.name in streams else near[0] if len(near) == 1 else None
    if name is None:
        known = f"streams are: {', '.join(streams)}" if streams else "give it: sw.sql(text, bus=...)"
        places.fail(ref.place, f"there is no stream {ref.name!r}", did_you_mean(ref.name, streams) + known)
    found = streams[name]
    if not isinstance(found, Stream):
        remedy = f'wrap it: {name}=sw.stream(frame, event_time="ts")'
        places.fail(ref.place, f"{name} is a {type(found).__name__}, not made by sw.stream", remedy)
    return replace(found, node=replace(found.node, name=ref.called))
