from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from slackwater.report.replay import read_replay, write_replay_page

HOSTILE = "fixed </script><script>alert(1)</script>"
RUN = {
    "quality": "recall",
    "kind": "contract",
    "target": 0.95,
    "period_us": 60_000_000,
    "interval_us": 1_000_000,
    "phi": 0.5,
    "phi_nearly": 0.75,
    "lowest_recall": 0.9,
    "average_slack_us": 300_000.0,
    "largest_slack_us": 400_000,
    "share": 0.98765,
    "measurements": 2,
    "measurements_without_results": 0,
    "smallest": True,
}


QUALITIES = {"recall": [0.9, 1.0], "dropped": [0.02, 0.0]}
DROP = {
    "quality": "drop",
    "stream": "spans",
    "policy": "drop 0.01 over 1 minute",
    "target": 0.01,
    "dropped": 0.00157,
    "kept": 0.991,
    "worst": 0.02,
}


@pytest.fixture
def comparisons(tmp_path):
    """Build a replay from runs that differ from `RUN`."""

    def build(*changes: dict):
        runs = [{**RUN, "run": number, **each} for number, each in enumerate(changes)]
        at = pa.array([60_000_000, 61_000_000], pa.timestamp("us", tz="UTC"))
        parts = [
            pa.table({"run": [run["run"]] * 2, "at": at, "slack": [run["largest_slack_us"]] * 2, **QUALITIES})
            for run in runs
        ]
        (tmp_path / "a.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
        pq.write_table(pa.concat_tables(parts), tmp_path / "a.parquet")
        return read_replay(tmp_path / "a.jsonl", tmp_path / "a.parquet")

    return build


CONTRACT = {"policy": "recall 0.95 over 1 minute by pd"}
BEST = {"policy": "fixed 200 ms", "kind": "hindsight", "average_slack_us": 200_000.0}
MARK = {
    "policy": "best per interval",
    "kind": "mark",
    "phi": None,
    "phi_nearly": 1.0,
    "lowest_recall": None,
    "average_slack_us": 150_000.0,
    "share": None,
}
NONE = {"policy": "none", "kind": "reference", "average_slack_us": 0.0, "largest_slack_us": 0}


def test_a_row_has_the_figures_of_its_run(comparisons):
    (comparison,) = comparisons(CONTRACT, BEST, NONE)
    assert len(comparison.heads) == len(comparison.rows()[0])
    assert ("recall 0.95 by pd", "50.0%", "75.0%", "0.900", "300 ms", "1.50", "98.77%") == comparison.rows()[0]
    assert ["hindsight 200 ms", "NoSlack"] == [row[0] for row in comparison.rows()[1:]]


def test_the_best_per_interval_has_a_row_a_line_of_slack_and_a_legend(comparisons):
    (comparison,) = comparisons(CONTRACT, MARK)
    assert ("best per interval", "", "100.0%", "", "150 ms", "", "") == comparison.rows()[1]
    assert "It is a mark, not a run" in comparison.caption
    slack, recall = ([trace.name for trace in section.figure.data] for section in comparison.sections())
    assert (["recall 0.95 by pd", "best per interval"], ["recall 0.95 by pd"]) == (slack, recall)


def test_a_drop_ratio_is_shown_by_what_was_dropped(comparisons):
    (comparison,) = comparisons(DROP, {**DROP, **BEST})
    assert "Drop ratio 1% of spans over 1 minute" == comparison.title
    assert ("drop 1%", "0.157%", "99.1%", "2.00%", "300 ms", "1.50") == comparison.rows()[0]
    assert len(comparison.heads) == len(comparison.rows()[0])


def test_recalls_and_drop_ratios_are_shown_apart(comparisons):
    assert ["RecallComparison", "DropComparison"] == [type(each).__name__ for each in comparisons(CONTRACT, DROP)]


def test_caption_explains_phi_and_gamma(comparisons):
    (comparison,) = comparisons(CONTRACT)
    assert "Γ is the recall that the contract asks for, here 0.95." in comparison.caption
    assert "Φ(Γ) is the share of the measurements that reached it" in comparison.caption


def test_a_contract_is_not_compared_with_a_hindsight_of_no_slack(comparisons):
    (comparison,) = comparisons(CONTRACT, {**BEST, "average_slack_us": 0.0})
    assert "" == comparison.rows()[0][5]


def test_runs_are_shown_by_goal(comparisons):
    found = comparisons(CONTRACT, NONE, {**CONTRACT, "target": 0.99}, {**NONE, "target": 0.99})
    assert ["Recall 0.95 over 1 minute", "Recall 0.99 over 1 minute"] == [each.title for each in found]
    assert [2, 2] == [len(each.rows()) for each in found]


def test_caption_says_what_may_mislead(comparisons):
    (comparison,) = comparisons({**CONTRACT, "measurements_without_results": 1}, {**BEST, "smallest": False})
    assert "1 of them without anything to find" in comparison.caption
    assert "a smaller constant might do as well" in comparison.caption


def test_page_has_two_figures_per_goal_with_the_same_colors_and_runs_nothing_hostile(comparisons, tmp_path):
    page = write_replay_page(
        tmp_path / "a.html",
        title=HOSTILE,
        intro=HOSTILE,
        comparisons=comparisons({**NONE}, CONTRACT, {"policy": HOSTILE}),
        footer=HOSTILE,
    )
    text = page.read_text(encoding="utf-8")
    slack, recall = json.loads(re.search(r'id="figures">(.*?)</script>', text, re.DOTALL)[1])
    assert [trace["name"] for trace in recall["data"]][:2] == [trace["name"] for trace in slack["data"]]
    assert "<script>alert" not in text
