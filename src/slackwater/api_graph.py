"""`sw.shared_deadline`: several operators on Spark with one deadline."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from slackwater.control.sl_tuner import SLTuner
from slackwater.deadline import Deadline
from slackwater.errors import ParameterError
from slackwater.models.graph import Graph


def shared_deadline(
    deadline: Deadline,
    *operators: str,
    folder: str | os.PathLike[str],
    graph: Graph | None = None,
    tuner: SLTuner | None = None,
) -> Any:
    """Let operators share one deadline: over every path of their graph, latencies add up to less (SSG17 Sec. 3).

    A tuner on the driver gives slack to the operator where it saves most rows from leaving before they are ready. On
    Spark each operator is a query that reads what another has written; `start` them through what this returns. What is
    aggregated after a join or a merge needs no query, and no part of the deadline: `sw.aggregate(jams, ...)` is one
    operator with it.

    Args:
        deadline: from the arrival of a row at the first operator until the last one gives it out.
        operators: their names, one after the other.
        folder: where control records, decisions, latencies and the tuner's memory go; on a file system that the driver
            has mounted.
        graph: where operators are not one after the other; instead of their names.
        tuner: how slacks are chosen; learns online unless it has a history.

    >>> import slackwater as sw
    >>> shared = sw.shared_deadline(sw.Deadline("20 seconds"), "jams", "alerts", folder="out/deadline")
    >>> shared.graph.operators
    ('jams', 'alerts')

    Then, with `jams = sw.join(..., contract=sw.Deadline("20 seconds"))`:
    `shared.start("jams", jams, results="out/jams", checkpoint="out/jams-checkpoint")`.
    """
    if not isinstance(deadline, Deadline):
        raise ParameterError("deadline", deadline, must="be a contract", remedy='sw.Deadline("20 seconds")')
    if bool(operators) == (graph is not None):
        raise ParameterError(
            "operators", operators, must="be named, or be in graph=", remedy='such as "jams", "alerts"'
        )
    from slackwater.spark.shared_deadline import SharedDeadline

    chosen = SLTuner(with_spread=False) if tuner is None else tuner
    return SharedDeadline(deadline, graph or Graph.chain(*operators), Path(folder), chosen)
