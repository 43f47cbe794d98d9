"""A join or a merge whose results are aggregated, as its buckets are called on Spark."""

from __future__ import annotations

from functools import partial
from typing import Any

import pyarrow as pa

from slackwater.spark.buckets import Spread
from slackwater.spark.call import Call
from slackwater.spark.chain_call import ChainBucket, ChainSaved, identity_of_fed
from slackwater.spark.held import HeldStore
from slackwater.spark.join_call import JoinBucket
from slackwater.spark.merge_call import MergeBucket
from tests.simulation.calls import Chunks
from tests.simulation.case import NOW, Case


class Chained:
    """A bucket of a chain that forgets everything but its text and bytes after each call."""

    def __init__(self, case: Case, chain: Any) -> None:
        node, then = chain.first.node, chain.then
        kind, spread = (JoinBucket, Spread(1, ())) if node.operator == "join" else (MergeBucket, _whole(node, case))
        identity = identity_of_fed(then, chain.feed, chain.schema)
        self._bucket = ChainBucket.of(partial(kind, node, spread), then, chain.feed, identity, False, 0)
        self._text: str | None = None
        self._stores = [Chunks() for _ in (0, 1, *then.levels)]

    @property
    def state(self) -> tuple[Any, ...]:
        """All that it remembers."""
        return self._text, *(dict(each.bodies) for each in self._stores)

    def restore(self, state: tuple[Any, ...]) -> None:
        """Go back to what was remembered."""
        self._text, self._stores = state[0], [Chunks(dict(bodies)) for bodies in state[1:]]

    def __call__(self, tables: list[pa.Table], *, drain: bool = False) -> Call:
        saved = ChainSaved.load(None if self._text is None else (self._text,), "chain")
        rows, marks, *panes = self._stores
        held = HeldStore(rows, marks)
        call = self._bucket.on_batch(saved, held, panes, tables, processing_time=NOW, drain=drain)
        self._text = call.saved.dump("chain")
        return call


def _whole(node: Any, case: Case) -> Spread:
    return Spread(1, (node.by,) * case.streams)
