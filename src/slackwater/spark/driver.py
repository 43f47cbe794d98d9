"""The driver's part of a plan with `scope="global"`: after each batch it decides one slack for all buckets.

Everything is in files beside the query's own, so that the driver remembers nothing: its state after batch N, and a
control record for the buckets, both named by N. A batch that is replayed starts from the state before it and writes the
same again. The records are input of later batches, so Spark repeats them in a replay too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slackwater.errors import ParameterError, StateError
from slackwater.paths import local_folder
from slackwater.pipeline.pooling import PooledSlack, pooled_table
from slackwater.spark.batch_report import last_contract
from slackwater.spark.control_stream import put
from slackwater.spark.plan_file import FOLDER, START_ANEW
from slackwater.spark.ruling import Ruling
from slackwater.spark.statistics import read_reports

if TYPE_CHECKING:
    import pyarrow as pa

    from slackwater.plan.nodes import JoinNode

_VERSION = 1
RECORDS = "slack"  # the subfolder that only a query with scope="global" has


@dataclass(frozen=True)
class DriverSlack:
    """Decides for all buckets of a join. `folder` belongs to the checkpoint."""

    node: JoinNode
    folder: Path

    @property
    def records(self) -> str:
        """The folder that buckets are told through: one file for each batch that led to a decision."""
        return str(self.folder / RECORDS)

    def on_batch(self, bodies: Iterable[bytes], batch: int, said: Iterable[bytes] = ()) -> pa.Table:
        """Add up what the buckets reported in a batch; write down what follows, and return it as decisions.

        `said` has what control records led to in the batch: the contract may have changed.
        """
        reports, state = read_reports(bodies), self._state_before(batch) or {}
        changed = last_contract(said)
        rules = changed or state.get("contract")
        node: JoinNode = Ruling(self.node, ()).node(rules)
        pooled = PooledSlack(node, state)
        decided = pooled.on_batch(reports)
        if reports or changed:
            kept = {} if rules is None else {"contract": rules}
            put(self._state_of(batch), json.dumps({"version": _VERSION, **pooled.snapshot(), **kept}))
            self._forget(batch)
        if decided:
            # In a replay it may be there already. No later batch has read it yet, and a query that was started again
            # with another contract decides otherwise.
            put(
                Path(self.records) / f"{batch}.json",
                json.dumps({"kind": "slack", "slack": decided[-1].slack, "at": decided[-1].at}),
            )
        return pooled_table(node, decided)

    def _state_of(self, batch: int) -> Path:
        return self.folder / "state" / f"{batch}.json"

    def _numbers(self) -> list[int]:
        return sorted(int(path.stem) for path in (self.folder / "state").glob("[0-9]*.json"))

    def _state_before(self, batch: int) -> dict[str, Any] | None:
        """Return the state that the last batch before this one left; None where there was none."""
        earlier = [number for number in self._numbers() if number < batch]
        if not earlier:
            return None
        path = self._state_of(earlier[-1])
        try:
            state: dict[str, Any] = json.loads(path.read_text())
            version = state.pop("version")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise _unreadable(path) from error
        if version != _VERSION:
            raise _unreadable(path)
        return state

    def _forget(self, batch: int) -> None:
        """Delete what no replay can need: all but the state after this batch and the one that it began with."""
        for number in [number for number in self._numbers() if number < batch][:-1]:
            self._state_of(number).unlink(missing_ok=True)


def driver_folder(checkpoint: str | os.PathLike[str]) -> Path:
    """Return where the driver keeps its files: in the checkpoint, with which they live and die."""
    where = local_folder(checkpoint)
    if where is None:
        raise ParameterError(
            "checkpoint",
            os.fspath(checkpoint),
            must='be a folder of a file system that the driver has mounted, for scope="global"',
            remedy='mount it, or use scope="bucket"',
        )
    return where / FOLDER


def check_same_scope(checkpoint: str | os.PathLike[str], *, led: bool) -> None:
    """Refuse a checkpoint of the other scope: its query has other inputs, and Spark's own words for it are obscure."""
    where = local_folder(checkpoint)
    if where is None or not (where / "offsets").exists():
        return
    if (driver_folder(checkpoint) / RECORDS).exists() != led:
        raise ParameterError(
            "scope",
            "global" if led else "bucket",
            must="be that of the checkpoint",
            remedy=f"change it back; or {START_ANEW}",
        )


def _unreadable(path: Path) -> StateError:
    return StateError(
        f"an unreadable file {path}", expected="one written by slackwater", remedy="restore the checkpoint from a copy"
    )
