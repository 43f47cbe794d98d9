"""How the cost of the in-process reorder grows: ours with more of something, against ours with less of it."""

from __future__ import annotations

from collections.abc import Iterator

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case
from benchmarks.reorder_local import reordering


def cases(*, quick: bool) -> Iterator[Case]:
    """Twice the rows; 100 times the slack, and one that holds all; ten times the delays; every row a boundary."""
    rows = 200_000 if quick else 2_000_000
    table = out_of_order(rows)
    some = reordering(table, sw.FixedSlack("100 ms"))
    yield Case(
        "twice the rows", reordering(out_of_order(2 * rows), sw.FixedSlack("100 ms")), some, 2.3, "once", {"rows": rows}
    )
    yield Case("100x the slack", reordering(table, sw.FixedSlack("10 seconds")), some, 1.5, "100 ms", {"rows": rows})
    far = out_of_order(rows, mean_delay_us=200_000)
    yield Case("10x the delays", reordering(far, sw.FixedSlack("1 second")), some, 2.0, "20 ms mean", {"rows": rows})
    yield Case("a slack that holds all", reordering(table, sw.FixedSlack("1 day")), some, 2.0, "100 ms", {"rows": rows})
    often = reordering(table, sw.FixedSlack("100 ms", adaptation_interval="100 us"))
    yield Case("a decision per row", often, some, 5.0, "one per second", {"rows": rows})
