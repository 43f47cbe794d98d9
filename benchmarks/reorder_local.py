"""The whole in-process reorder, payload included, against one stable NumPy argsort of the same times."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case, nothing
from slackwater.contracts import Contract


def cases(*, quick: bool) -> Iterator[Case]:
    """Four policies over the same rows."""
    rows = 500_000 if quick else 5_000_000
    table = out_of_order(rows)
    policies = {
        "FixedSlack, nothing late": sw.FixedSlack("1 second"),
        "FixedSlack, 4 % late": sw.FixedSlack("40 ms"),
        "MaxSlack": sw.MaxSlack(),
        "NoSlack, 30 % late": sw.NoSlack(),
    }
    for name, contract in policies.items():
        ours = reordering(table, contract)
        yield Case(f"local reorder, {name}", ours, sorting(table), 5.0, "np.argsort", {"rows": rows})


def reordering(table: pa.Table, contract: Contract) -> Callable[[], None]:
    """Return the work: results, late rows and decisions of `table`."""

    def work() -> None:
        ordered = sw.reorder(sw.stream(table, event_time="event_time"), contract=contract)
        assert table.num_rows == ordered.results.num_rows + ordered.late.num_rows
        assert ordered.decisions.num_rows

    return work


def sorting(table: pa.Table) -> Callable[[], None]:
    """Return the work of the rival: the order of the times alone."""
    times = table["event_time"].cast(pa.int64()).to_numpy()
    return lambda: nothing(np.argsort(times, kind="stable"))
