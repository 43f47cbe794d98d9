from __future__ import annotations

import io

import pytest
from rich.console import Console

from slackwater.cli.demo.display import PlainLines, moving_table, plain_line, watch
from slackwater.cli.demo.following import Following, Progress
from slackwater.errors import AccountingError, SlackwaterError


def report(batch: int, *, arrived: int | None, released: int = 0, late: int = 0, buffered: int = 0) -> dict:
    counts = {"arrived": arrived, "released": released, "late": late, "buffered": buffered, "slack": 20_000}
    return {"batchId": batch, "observedMetrics": {"slackwater": counts}, "processedRowsPerSecond": 100.0}


WHOLE = report(0, arrived=10, released=6, late=1, buffered=3)
DRAINED = report(1, arrived=0, released=3)


class Query:
    """Stands in for Spark's query: gives one more report each time it is asked."""

    def __init__(self, *reports: dict, error: str | None = None) -> None:
        self.isActive = error is None
        self.stopped = False
        self._reports = list(reports)
        self._asked = 0
        self._error = error

    @property
    def recentProgress(self) -> list[dict]:  # noqa: N802  (Spark's name)
        self._asked += 1
        return self._reports[: self._asked]

    def exception(self) -> str | None:
        return self._error

    def stop(self) -> None:
        self.stopped = True


def following(query: Query, tmp_path) -> Following:
    return Following("MaxSlack()", query, control=tmp_path / "control", total=10)


def test_each_micro_batch_counts_once():
    progress = Progress()
    progress.add([WHOLE])
    progress.add([WHOLE, DRAINED])
    assert (10, 9, 1, 0) == (progress.arrived, progress.released, progress.late, progress.buffered)


def test_report_without_rows_is_passed_over():
    progress = Progress()
    progress.add([report(0, arrived=None), {"batchId": 0, "observedMetrics": {}}])
    progress.add([WHOLE])
    assert 10 == progress.arrived


def test_drain_is_sent_once_when_all_rows_have_arrived(tmp_path):
    query = following(Query(WHOLE), tmp_path)
    query.step()
    query.step()
    assert 1 == len(list((tmp_path / "control").glob("*.json")))
    assert not query.done


def test_query_ends_after_the_batch_with_the_drain(tmp_path):
    query = Query(WHOLE, DRAINED)
    followed = following(query, tmp_path)
    followed.step()
    followed.step()
    assert followed.done
    assert query.stopped


def test_rows_that_nobody_accounts_for_are_an_error(tmp_path):
    followed = following(Query(WHOLE, report(1, arrived=0, released=2)), tmp_path)
    followed.step()
    with pytest.raises(AccountingError):
        followed.step()


def test_rows_that_a_drain_left_behind_are_an_error(tmp_path):
    followed = following(Query(WHOLE, report(1, arrived=0, released=2, buffered=1)), tmp_path)
    followed.step()
    with pytest.raises(SlackwaterError, match="still holds 1 rows after the drain"):
        followed.step()


def test_query_that_failed_is_named_with_its_reason(tmp_path):
    followed = following(Query(error="disk full\nstack trace"), tmp_path)
    with pytest.raises(SlackwaterError, match=r"^the query of policy MaxSlack\(\) stopped: disk full$"):
        followed.step()


def test_watching_without_a_terminal_prints_plain_lines(tmp_path):
    console = Console(file=io.StringIO(), force_terminal=False)
    moments = iter(range(0, 1000, 5))
    watch(
        [following(Query(WHOLE, DRAINED), tmp_path)], console, clock=lambda: next(moments), sleep=lambda seconds: None
    )
    assert (
        "MaxSlack(): 10 of 10 rows, 100 rows/s, slack 20 ms, late 1, buffered 3; now it is drained\n"
        in console.file.getvalue()
    )
    assert "\x1b" not in console.file.getvalue()


def test_watching_ends_with_a_line_that_says_so(tmp_path):
    followed = following(Query(WHOLE, DRAINED), tmp_path)
    followed.step()
    followed.step()
    assert plain_line(followed).endswith("buffered 0; drained, done")


def test_who_watches_without_a_terminal_is_not_left_without_a_line_for_long(tmp_path):
    console = Console(file=io.StringIO(), force_terminal=False)
    moments = iter(range(0, 1000, 5))
    lines = PlainLines(console, lambda: next(moments))
    waiting = following(Query(), tmp_path)
    for _ in range(7):
        lines.show([waiting])
    line = "waiting for the next micro-batch of MaxSlack()"
    assert ["   5 s  MaxSlack(): starting", f"  20 s  {line}", f"  35 s  {line}"] == (
        console.file.getvalue().splitlines()
    )


def test_query_without_a_report_is_starting(tmp_path):
    assert "MaxSlack(): starting" == plain_line(following(Query(), tmp_path))


def test_moving_table_shows_every_number_in_a_terminal_of_80_columns(tmp_path):
    query = following(Query(report(0, arrived=56_371, released=47_391, late=2_100, buffered=6_880)), tmp_path)
    query.step()
    console = Console(file=io.StringIO(), width=80)
    console.print(moving_table([query]))
    assert all(number in console.file.getvalue() for number in ("56,371", "100", "20 ms", "2,100", "6,880"))
