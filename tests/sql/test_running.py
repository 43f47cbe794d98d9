"""What a query on Spark came to, from what its batches said. No session is started."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.decisions import decisions_table
from slackwater.quality.batch_log import RULES
from slackwater.sql.pipeline import read_pipeline
from slackwater.sql.running import Running

TEXT = "SELECT ts FROM bus WITH DROP 1%"


class Rows:
    """Decisions of a batch, asked for as a DataFrame is."""

    def __init__(self, **columns) -> None:
        self.table = decisions_table(columns, 1)

    def select(self, *names: str) -> Rows:
        self.table = self.table.select(list(names))
        return self

    def toArrow(self) -> pa.Table:  # noqa: N802  (the name that DataFrames have for it)
        return self.table


@pytest.fixture
def running(tmp_path) -> Running:
    bus = sw.stream(pa.table({"ts": [1]}), event_time="ts", unit="s")
    pipeline = read_pipeline(f"CREATE STREAM bus WITH (path = 'x'); {TEXT}")
    return Running(pipeline, 1, sw.sql(TEXT, bus=bus), tmp_path, print)


def test_a_contract_is_judged_by_all_decisions(running):
    for measured in (0.5, 0.005):
        running._judge(None, Rows(operator="reorder", target=0.01, measured=measured), 0)
    assert "kept at 1 of 2 decisions; the worst that was measured is 0.5" == running.summary().kept


def test_after_a_change_the_contract_that_rules_is_judged_by_its_own_decisions(running):
    running._judge(None, Rows(operator="reorder", target=0.01, measured=0.5), 0)
    running._judge(None, Rows(operator="control", stream="contract: drop 0.01 -> drop 0.1 over 1 minute"), 1)
    running._judge(None, Rows(operator="reorder", target=0.1, measured=0.05), 2)
    (running.checkpoint / RULES).parent.mkdir()
    rules = {"of": repr(running.output.plan.node.contract), "contract": "drop 0.1 over 1 minute"}
    (running.checkpoint / RULES).write_text(json.dumps(rules))
    found = running.summary()
    assert "drop 0.1 over 1 minute" == found.contract
    assert "kept at all of 1 decisions; the worst that was measured is 0.05" == found.kept
