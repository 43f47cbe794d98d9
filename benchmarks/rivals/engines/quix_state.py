"""The state of the joins on Quix Streams: what a careful user keeps per key, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from benchmarks.rivals.jobs import SLACK_MS, WITHIN_MS


def joined(streams: int) -> Callable[[dict[str, int], Any], list[list[int]]]:
    """Return the function that lets a row meet those of the other streams of its key that came before it."""

    def join(row: dict[str, int], state: Any) -> list[list[int]]:
        time, out = row["t"], []
        # No row that is still to come is more than the slack behind this one.
        held = [
            [each for each in own if each[0] >= time - SLACK_MS - WITHIN_MS]
            for own in state.get("held") or [[] for _ in range(streams)]
        ]
        near = [[each for each in own if abs(each[0] - time) <= WITHIN_MS] for own in held]
        near[row["s"]] = [[time, row["v"]]]
        for combination in product(*near):
            times = [each[0] for each in combination]
            if max(times) - min(times) <= WITHIN_MS:
                out.append([max(times), row["k"], *(part for each in combination for part in each)])
        held[row["s"]].append([time, row["v"]])
        state.set("held", held)
        return out

    return join
