"""What py-spy has seen is dealt out to what it was for."""

from __future__ import annotations

import pytest
from benchmarks.budget.sampled import Sampled, counted, table

SPARK = "main (pyspark/worker.py:9);call (pyspark/sql/streaming/stateful_processor_util.py:206)"


@pytest.mark.parametrize(
    ("stack", "part"),
    [
        ("_call (slackwater/spark/processor.py:1)", "our wiring to Spark"),
        ("_call (slackwater/spark/processor.py:1);take (pyarrow/compute.py:5)", "our wiring to Spark"),
        (
            "_call (slackwater/spark/processor.py:1);get_value (pyspark/sql/streaming/map_state_client.py:7)",
            "state store",
        ),
        ("_call (slackwater/spark/call.py:1);on_batch (slackwater/core/join.py:1);sort (numpy/x.py:3)", "operator"),
        ("_call (slackwater/spark/call.py:1);DataFrame (pandas/core/frame.py:3)", "pandas"),
    ],
)
def test_a_look_counts_for_the_innermost_that_says_what_it_is_for(stack, part):
    assert {part: 4} == counted([f"{SPARK};{stack} 4"])


def test_a_process_that_only_waits_for_a_task_is_not_busy():
    assert not counted(["manager (pyspark/daemon.py:275) 9", "main (pyspark/worker.py:9) 2"])


def test_a_part_that_a_run_does_not_have_is_nothing():
    runs = [Sampled("join", 10, {"operator": 1.0}, 5), Sampled("reorder", 10, {"packets": 1.0}, 5)]
    assert 3 == table(runs).row_count
