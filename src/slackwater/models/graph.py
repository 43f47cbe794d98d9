"""Latency and slack-ready events of a graph of operators: SSG17 Sec. 3, eq. 1-3 and 5.

All durations are in one unit, any unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from slackwater.errors import ParameterError


@dataclass(frozen=True)
class Link:
    """What one operator sends to another; `communication` is how long it is under way (comm in eq. 2)."""

    source: str
    target: str
    communication: float = 0.0


@dataclass(frozen=True)
class Graph:
    """Operators by name, and the links between them. It has no cycle.

    >>> Graph.chain("join", "count", "top").paths_end
    ('top',)
    """

    operators: tuple[str, ...]
    links: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        """Refuse links to nowhere, names that are not unique and cycles."""
        if not self.operators or len(set(self.operators)) != len(self.operators):
            raise ParameterError(
                "operators", self.operators, must="be one or more, each with its own name", remedy='("join", "count")'
            )
        for link in self.links:
            for end in (link.source, link.target):
                if end not in self.operators:
                    raise ParameterError("links", end, must=f"name one of {', '.join(self.operators)}", remedy="add it")
        self._order  # noqa: B018  (a cycle must not wait until somebody asks)

    @classmethod
    def chain(cls, *operators: str) -> Graph:
        """Return operators one after the other."""
        return cls(operators, tuple(Link(a, b) for a, b in pairwise(operators)))

    @property
    def paths_end(self) -> tuple[str, ...]:
        """The operators whose results leave the graph."""
        sources = {link.source for link in self.links}
        return tuple(name for name in self.operators if name not in sources)

    def longest_path(self, latency: Mapping[str, float]) -> float:
        """Return Latency of eq. 2: the largest sum of operator latencies and communication over all paths.

        >>> graph = Graph(("x", "y", "w"), (Link("x", "y"), Link("x", "w", communication=4)))
        >>> graph.longest_path({"x": 1, "y": 5, "w": 3})
        8.0
        """
        until: dict[str, float] = {}
        for name in self._order:
            before = (until[link.source] + link.communication for link in self.links if link.target == name)
            until[name] = float(latency[name]) + max(before, default=0.0)
        return max(until.values())

    @cached_property
    def _order(self) -> tuple[str, ...]:
        """The operators, each behind all that send to it."""
        senders = {name: {link.source for link in self.links if link.target == name} for name in self.operators}
        try:
            return tuple(TopologicalSorter(senders).static_order())
        except CycleError as error:
            raise ParameterError(
                "links", " -> ".join(error.args[1]), must="have no cycle", remedy="take out one of them"
            ) from error


def operator_latency(threads: Iterable[tuple[float, float]]) -> float:
    """Return latency_op of eq. 1: of the slowest thread, how long an event waited and was processed.

    >>> operator_latency([(5.0, 1.0), (2.0, 3.0)])
    6.0
    """
    return max((queued + processed for queued, processed in threads), default=0.0)


def meets_deadline(latency: float, deadline: float) -> bool:
    """Whether eq. 3 holds: Latency < Deadline.

    >>> meets_deadline(5.9, 6), meets_deadline(6, 6)
    (True, False)
    """
    return latency < deadline


def slack_ready_of_graph(operators: Mapping[str, float]) -> float:
    """Return SLRTuples of eq. 5: the slack-ready events that all operators have read.

    >>> slack_ready_of_graph({"join": 30, "count": 4})
    34
    """
    return sum(operators.values())
