"""How the cost of the batch gate grows: with rows at 8 streams, and with streams at the same rows."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.gate_batch import reading, sorted_streams
from benchmarks.harness import Case


def cases(*, quick: bool) -> Iterator[Case]:
    """Eight times the rows, or sixteen times the streams."""
    rows = 100_000 if quick else 500_000
    few, many = sorted_streams(rows, 8), sorted_streams(8 * rows, 8)
    yield Case("gate, 8 x rows", reading(many, 50_000), reading(few, 50_000), 12.0, "a gate of 1 x", {"rows": rows})
    few, many = sorted_streams(rows, 4), sorted_streams(rows, 64)
    name = "gate, 64 streams"
    yield Case(name, reading(many, 50_000), reading(few, 50_000), 6.0, "a gate of 4 streams", {"rows": rows})
