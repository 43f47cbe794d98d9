"""The stateful operator of a chain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from slackwater.spark.chain_call import ChainBucket, ChainSaved
from slackwater.spark.held import HeldStore
from slackwater.spark.processor import StreamsProcessor

if TYPE_CHECKING:
    from slackwater.pipeline.prod import Prod
    from slackwater.plan.nodes import StreamsNode
    from slackwater.spark.call import Call
    from slackwater.spark.control_stream import ControlRecord


class ChainProcessor(StreamsProcessor):
    """Runs a join or a merge over the rows of one bucket, and an aggregate over what that gives."""

    saved_type = ChainSaved

    def __init__(
        self, node: StreamsNode, schemas: Sequence[pa.Schema], identity: str, bucket: Callable[[int], ChainBucket]
    ) -> None:
        super().__init__(node, schemas, identity, bucket)
        then = bucket(0).then
        self.maps = (*self.maps, *(f"panes{number}" for number in range(len(then.levels))))
        self._prods: tuple[Prod, ...] = ()  # of the call under way
        self.heeds = (*self.heeds, "prod") if then.early is not None else self.heeds
        self._chain = bucket

    def _heard(self, saved: Any, control: list[ControlRecord]) -> Any:
        self._prods = tuple(record.prod for record in control if record.prod is not None and "prod" in self.heeds)
        return super()._heard(saved, control)

    def _asks(self, control: list[ControlRecord]) -> bool:
        return bool(self._prods)

    def _run(
        self, bucket: int, saved: Any, tables: list[pa.Table], *, processing_time: int, drain: bool, expired: bool
    ) -> Call:
        chain = self._chain(bucket)
        chain = replace(chain, first=replace(chain.first, node=self._node), prods=self._prods)
        chunks, marks, *panes = self._stores
        store = HeldStore(chunks, marks)
        return chain.on_batch(saved, store, panes, tables, processing_time=processing_time, drain=drain)
