from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.decisions import decisions_table
from slackwater.errors import DatasetError
from slackwater.report.tables import late_reasons, read_run, summarize_run
from tests.report.builders import write_run


def test_summary_counts_rows_and_weighs_slack_by_rows(tmp_path):
    summary = summarize_run(read_run("max", write_run(tmp_path, slack=[0, 30, 60], late_by=[5, 7])))
    assert (30, 28, 2, 30.0, 60) == (
        summary.arrived,
        summary.released,
        summary.late,
        summary.average_slack,
        summary.largest_slack,
    )
    assert 2 / 30 == summary.late_share


def test_buckets_add_up(tmp_path):
    write_run(tmp_path, slack=[10, 10], bucket=0)
    write_run(tmp_path, slack=[30, 30], bucket=1)
    run = read_run("max", tmp_path)
    assert (40, 20.0) == (summarize_run(run).arrived, summarize_run(run).average_slack)
    assert ["max, bucket 0", "max, bucket 1"] == [label for label, _ in run.buckets()]


def test_what_the_driver_decided_is_not_taken_for_a_bucket(tmp_path):
    write_run(tmp_path, slack=[10, 10])
    (part,) = (tmp_path / "decisions").glob("**/*.parquet")
    decided = decisions_table({"operator": "join", "slack": [90], "at": pa.array([1], pa.timestamp("us", tz="UTC"))}, 1)
    pq.write_table(pa.concat_tables([pq.read_table(part), decided]), part)
    run = read_run("max", tmp_path)
    assert (["max"], 20, 10) == ([label for label, _ in run.buckets()], *_arrived_and_largest_slack(run))


def _arrived_and_largest_slack(run):
    return summarize_run(run).arrived, summarize_run(run).largest_slack


def test_folder_of_late_rows_that_was_never_written_means_none(tmp_path):
    run = read_run("max", write_run(tmp_path, slack=[0]))
    assert 0 == run.late.num_rows
    assert [] == late_reasons(run)


def test_late_reasons_have_exact_medians_and_rows_without_event_time_have_none(tmp_path):
    reasons = late_reasons(read_run("max", write_run(tmp_path, slack=[0], late_by=[1, 9, 2, None])))
    assert [("late", 3, 2.0, 9), ("null_time", 1, None, None)] == [
        (each.reason, each.rows, each.median_late_by, each.largest_late_by) for each in reasons
    ]


def test_decisions_come_in_the_order_of_event_time(tmp_path):
    write_run(tmp_path, slack=[1, 2, 3])
    (part,) = (tmp_path / "decisions").glob("**/*.parquet")
    table = pq.read_table(part)
    pq.write_table(table.take([2, 0, 1]), part)
    assert [1, 2, 3] == read_run("max", tmp_path).decisions["slack"].to_pylist()


def test_run_without_decisions_gives_an_empty_summary(tmp_path):
    (tmp_path / "decisions").mkdir()
    assert 0.0 == summarize_run(read_run("max", tmp_path)).late_share


def test_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="has no folder 'decisions'"):
        read_run("max", tmp_path)


def test_missing_column_is_named(tmp_path):
    write_run(tmp_path, slack=[1])
    (part,) = (tmp_path / "decisions").glob("**/*.parquet")
    pq.write_table(pa.table({"slack": [1]}), part)
    with pytest.raises(DatasetError, match="lacks the column"):
        read_run("max", tmp_path)
