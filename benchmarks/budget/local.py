"""Processor time by stage of runs in process: of the operator alone, and of a whole run from files to files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw
from benchmarks.budget.stages import HANDLING, seconds_of
from benchmarks.join_local import arrival_order, keyed
from slackwater.contracts import Contract

Run: TypeAlias = Callable[[Sequence[pa.Table]], Any]  # an operator with its outputs

_FIXED, _RECALL = sw.FixedSlack("1 second"), sw.Recall(0.99)


@dataclass(frozen=True)
class Spent:
    """Where the time of a run went, in us for each row."""

    run: str
    stages: Mapping[str, float]
    rows: int
    decisions: int
    with_files: Mapping[str, float] = field(default_factory=dict)  # the same where rows come from files and go to some

    @property
    def total(self) -> float:
        """All of it."""
        return sum(self.stages.values())

    def share(self, stages: Sequence[str]) -> float:
        """Return the share of some stages."""
        return _share(self.stages, stages)

    def share_with_files(self, stages: Sequence[str]) -> float:
        """Return their share of a run from files to files."""
        return _share(self.with_files, stages)

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
        yield _measured(f"join, {contract}", partial(_join, contract), tables, repeat)
    for contract in (_FIXED, sw.DropRatio(0.01)):
        yield _measured(f"aggregate, {contract}", partial(_aggregate, contract), tables[:1], repeat)
    for contract in (_FIXED, sw.DropRatio(0.01)):
        yield _measured(f"reorder, {contract}", partial(_reorder, contract), tables[:1], repeat)


def _measured(name: str, run: Run, tables: Sequence[pa.Table], repeat: int) -> Spent:
    rows, decisions = sum(table.num_rows for table in tables), _read(run(tables))  # kernels are compiled and loaded

    def per_row(work: Callable[[], object]) -> dict[str, float]:
        return {stage: each * 1e6 / rows for stage, each in seconds_of(work, times=repeat).items()}

    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.parquet" for number in range(len(tables))]
        for table, file in zip(tables, files, strict=True):
            pq.write_table(table, file)
        stages = per_row(lambda: _read(run(tables)))
        return Spent(name, stages, rows, decisions, per_row(lambda: _from_files(run, files)))


def _from_files(run: Run, files: Sequence[Path]) -> None:
    """Run as users do: rows from Parquet files, all that comes out into others."""
    output = run([pq.read_table(file) for file in files])
    for name in ("results", "late", "decisions"):
        pq.write_table(getattr(output, name), files[0].with_name(f"{name}.parquet"))


def _stream(table: pa.Table, name: str) -> sw.Stream:
    return sw.stream(table, name=name, event_time="ts", unit="us", arrival="seq")


def _join(contract: Contract, tables: Sequence[pa.Table]) -> Any:
    streams = [_stream(table, name) for name, table in zip("ab", tables, strict=True)]
    return sw.join(*streams, on="key", within="5 seconds", contract=contract)


def _aggregate(contract: Contract, tables: Sequence[pa.Table]) -> Any:
    values = {"n": sw.count(), "total": sw.sum("value"), "most": sw.max("value")}
    stream = _stream(tables[0], "a")
    return sw.aggregate(stream, by="key", size="30 seconds", slide="10 seconds", values=values, contract=contract)


def _reorder(contract: Contract, tables: Sequence[pa.Table]) -> Any:
    return sw.reorder(_stream(tables[0], "a"), contract=contract)


def _read(output: sw.Output) -> int:
    """Ask for all three outputs, so that they are made; return how many decisions there were."""
    assert output.results.num_rows > 0
    assert output.late.num_rows >= 0
    return int(output.decisions.num_rows)


def _share(of: Mapping[str, float], stages: Sequence[str]) -> float:
    return sum(of[stage] for stage in stages) / sum(of.values()) if of else 0.0
