"""What it costs to keep a contract on `reorder`: against a fixed slack of the same length, and against a bare sort.

The fixed slack is the average that the contract chose on the same rows, so that both hold as many of them back, and
what is left is the price of deciding: delays are counted, and a batch is cut wherever the slack changes. The limits
are for `drop 1%`, whose slack changes at every decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

import slackwater as sw
from benchmarks.data import out_of_order
from benchmarks.harness import Case
from benchmarks.reorder_local import reordering, sorting
from benchmarks.reorder_spark import IDENTITY, identity, reorder
from benchmarks.spark_files import scratch, write_files
from slackwater.contracts import Contract
from slackwater.plan.contract_text import contract_text
from slackwater.time import Duration

DEFAULT = sw.DropRatio(0.01)


def cases(*, quick: bool, contract: Contract = DEFAULT) -> Iterator[Case]:
    """In process and on Spark, each against the fixed slack and against what does no reordering by slack."""
    yield from _in_process(500_000 if quick else 5_000_000, contract)
    yield from _on_spark(*((400_000, 2) if quick else (2_000_000, 4)), contract)


def _in_process(rows: int, contract: Contract) -> Iterator[Case]:
    table = out_of_order(rows)
    slack = average_slack(table, contract)
    name, config = f"local reorder, {contract_text(contract)}", _config(table, contract, slack)
    ours = reordering(table, contract)
    yield Case(name, ours, reordering(table, sw.FixedSlack(slack)), 2.5, f"fixed {slack}", config)
    yield Case(name, ours, sorting(table), 12.0, "np.argsort", config)


def _on_spark(rows: int, files: int, contract: Contract) -> Iterator[Case]:
    table = out_of_order(rows)
    slack = average_slack(table, contract)
    name, config = f"Spark reorder, {contract_text(contract)}", {**_config(table, contract, slack), "files": files}
    with scratch() as (spark, folder):
        write_files(folder / "in", table, files)
        rivals = {
            f"fixed {slack}": (lambda: reorder(spark, folder, sw.FixedSlack(slack)), 1.3),
            IDENTITY: (lambda: identity(spark, folder), 1.5),
        }
        for rival_name, (rival, limit) in rivals.items():
            yield Case(name, lambda: reorder(spark, folder, contract), rival, limit, rival_name, config)


def average_slack(table: pa.Table, contract: Contract) -> Duration:
    """Return the mean of the slacks that a contract chooses, one for each adaptation interval."""
    ordered = sw.reorder(sw.stream(table, event_time="event_time"), contract=contract)
    return Duration(round(ordered.decisions["slack"].to_numpy()[:-1].mean()))  # the last only says that it ended


def _config(table: pa.Table, contract: Contract, slack: Duration) -> dict[str, Any]:
    return {"rows": table.num_rows, "contract": contract_text(contract), "average_slack_us": slack.microseconds}
