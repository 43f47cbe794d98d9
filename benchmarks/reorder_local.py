"""The whole in-process reorder, payload included, against one stable NumPy argsort of the same times."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case


def cases(*, quick: bool) -> Iterator[Case]:
    """Four policies over the same rows."""
    rows = 500_000 if quick else 5_000_000
    table = out_of_order(rows)
    times = table["event_time"].cast("int64").to_numpy()
    policies = {
        "FixedSlack, nothing late": sw.FixedSlack("1 second"),
        "FixedSlack, 4 % late": sw.FixedSlack("40 ms"),
        "MaxSlack": sw.MaxSlack(),
        "NoSlack, 30 % late": sw.NoSlack(),
    }
    for name, contract in policies.items():

        def ours(contract: sw.contracts.Contract = contract) -> None:
            stream = sw.stream(table, event_time="event_time")
            ordered = sw.reorder(stream, contract=contract)
            assert rows == ordered.results.num_rows + ordered.late.num_rows
            assert ordered.decisions.num_rows

        def rival() -> None:
            np.argsort(times, kind="stable")

        yield Case(f"local reorder, {name}", ours, rival, 5.0, "np.argsort", {"rows": rows})
