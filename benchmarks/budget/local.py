"""Processor time by stage of runs in process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

import slackwater as sw
from benchmarks.budget.stages import HANDLING, seconds_of
from benchmarks.join_local import arrival_order, keyed
from slackwater.contracts import Contract

_FIXED, _RECALL = sw.FixedSlack("1 second"), sw.Recall(0.99)


@dataclass(frozen=True)
class Spent:
    """Where the time of a run went, in us for each row."""

    run: str
    stages: dict[str, float]
    rows: int
    decisions: int

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self.stages.values())

    def share(self, stages: Sequence[str]) -> float:
        """Return the share of some stages."""
        return sum(self.stages[stage] for stage in stages) / self.total

    @property
    def of_a_decision(self) -> float:
        """How many us a decision takes."""
        return self.stages["adapt"] * self.rows / self.decisions

    @property
    def handling(self) -> float:
        """The share of disorder handling: reorder, synchronize, and control."""
        return self.share(HANDLING)


def local_runs(*, quick: bool, repeat: int) -> Iterator[Spent]:
    """Measure joins, aggregates and a reorder; the average of several runs of each."""
    rows = 50_000 if quick else 1_000_000
    tables = [arrival_order(keyed(rows, seed), seed) for seed in (1, 2)]
    contract: Contract
    for contract in (_FIXED, _RECALL):
        yield _measured(f"join, {contract}", partial(_join, tables, contract), 2 * rows, repeat)
    for contract in (_FIXED, sw.DropRatio(0.01)):
        yield _measured(f"aggregate, {contract}", partial(_aggregate, tables[0], contract), rows, repeat)
    for contract in (_FIXED, sw.DropRatio(0.01)):
        yield _measured(f"reorder, {contract}", partial(_reorder, tables[0], contract), rows, repeat)


def _measured(name: str, work: Callable[[], int], rows: int, repeat: int) -> Spent:
    decisions = work()  # kernels are compiled and loaded
    seconds = seconds_of(work, times=repeat)
    return Spent(name, {stage: each * 1e6 / rows for stage, each in seconds.items()}, rows, decisions)


def _stream(table: pa.Table, name: str) -> sw.Stream:
    return sw.stream(table, name=name, event_time="ts", unit="us", arrival="seq")


def _join(tables: Sequence[pa.Table], contract: Contract) -> int:
    streams = [_stream(table, name) for name, table in zip("ab", tables, strict=True)]
    return _read(sw.join(*streams, on="key", within="5 seconds", contract=contract))


def _aggregate(table: pa.Table, contract: Contract) -> int:
    values = {"n": sw.count(), "total": sw.sum("value"), "most": sw.max("value")}
    stream = _stream(table, "a")
    return _read(
        sw.aggregate(stream, by="key", size="30 seconds", slide="10 seconds", values=values, contract=contract)
    )


def _reorder(table: pa.Table, contract: Contract) -> int:
    return _read(sw.reorder(_stream(table, "a"), contract=contract))


def _read(output: sw.Output) -> int:
    """Ask for all three outputs, so that they are made; return how many decisions there were."""
    assert output.results.num_rows > 0
    assert output.late.num_rows >= 0
    return int(output.decisions.num_rows)
