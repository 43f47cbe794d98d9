"""Streams that queries of the corpus are about."""

from __future__ import annotations

import pyarrow as pa
import pytest

import slackwater as sw


def stream(time: str = "ts", *, unit: str = "s", **columns: list) -> sw.Stream:
    return sw.stream(pa.table(columns), event_time=time, unit=unit)


@pytest.fixture(scope="session")
def fuzz_streams() -> dict[str, sw.Stream]:
    return {
        "bus": stream(
            ts=[1, 4, 3, 9, 12], area=["n", "s", "n", "n", "s"], line=[5, 7, 5, 7, 5], delay=[90, 10, 70, 20, 65]
        ),
        "scats": stream(ts=[2, 5, 4, 10], area=["n", "s", "n", "n"], flow=[500, 450, 100, 600]),
    }
