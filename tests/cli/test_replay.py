from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.sources.catalog import load
from slackwater.sources.real import VARIABLE

SHORT = ("--duration", "2 minutes")


def run(*arguments: str):
    return CliRunner().invoke(app, ["replay", *arguments], env={"COLUMNS": "100"})


def figures_in(folder) -> list[dict]:
    return [json.loads(line) for line in (folder / "replay.jsonl").read_text().splitlines()]


@pytest.fixture
def files(tmp_path):
    """Two streams of a generated set, as files with columns of their own."""
    paths = []
    for name, table in list(load("syn3", duration="90 seconds").streams.items())[:2]:
        ms = pa.array(table["event_time"].cast("int64").to_numpy() // 1_000)
        paths.append(tmp_path / f"{name}-ms.parquet")
        pq.write_table(pa.table({"ts": ms, "seq": table["arrival"], "key": table["a1"]}), paths[-1])
    return [str(path) for path in paths]


def test_a_data_set_gives_a_table_a_page_and_figures(tmp_path):
    shown = run("syn3", *SHORT, "--contract", "recall 0.9 over 1 minute", "--output", str(tmp_path))
    assert 0 == shown.exit_code, shown.output
    assert "syn3: 36,000 rows of s1, s2, s3" in shown.stdout
    assert all(name in shown.stdout for name in ("Φ(.99Γ)", "recall 0.9", "hindsight", "NoSlack", "MaxSlack"))
    assert {"replay.html", "replay.jsonl", "replay.parquet"} == {path.name for path in tmp_path.iterdir()}
    assert {("syn3", 1, "2 minutes")} == {(row["set"], row["seed"], row["duration"]) for row in figures_in(tmp_path)}


def test_several_contracts_without_hindsight(tmp_path):
    contracts = ("recall 0.9", "recall 0.9 by model-search", "fixed 500 ms")
    options = [option for text in contracts for option in ("--contract", text)]
    shown = run("syn3", *SHORT, "--seed", "2", "--no-hindsight", *options, "--output", str(tmp_path))
    assert 0 == shown.exit_code, shown.output
    expected = ["recall 0.9 over 1 minute", "recall 0.9 over 1 minute by model-search", "fixed 500 ms", "none", "max"]
    assert expected == [row["policy"] for row in figures_in(tmp_path)]
    assert {"contract", "reference"} == {row["kind"] for row in figures_in(tmp_path)}


def test_a_bound_on_errors_is_compared_with_every_way_to_choose_a_slack(tmp_path):
    query = ("--query", "mean(speed) as speed, count() as n by status size 2 minutes slide 1 minute")
    contract = ("--contract", "error 3%")
    shown = run("freeway", "--duration", "1 hour", *query, *contract, "--output", str(tmp_path))
    assert 0 == shown.exit_code, shown.output
    names = ("error 3%", "hindsight", "NoSlack", "MaxSlack", "drop 3%", "AlphaPD", "latency")
    assert [] == [name for name in names if name not in shown.stdout]
    assert {"mean(speed) as speed, count() as n by status size 2 minutes slide 1 minute"} == {
        row["query"] for row in figures_in(tmp_path)
    }
    assert "Error 3% for 95% of the results" in (tmp_path / "replay.html").read_text()


def test_windows_over_a_file(files, tmp_path):
    options = ("--event-time", "ts", "--unit", "ms", "--arrival", "seq", "--query", "count() as n size 5 seconds")
    shown = run(files[0], *options, "--contract", "error 10%", "--no-hindsight", "--output", str(tmp_path / "out"))
    assert 0 == shown.exit_code, shown.output


def test_early_results_are_shown_beside_the_errors_of_final_ones(tmp_path):
    contract = ("--contract", "error 3%", "--no-hindsight", "--early", "0.25")
    shown = run("freeway", "--duration", "1 hour", *contract, "--output", str(tmp_path))
    assert 0 == shown.exit_code, shown.output
    names = ("early by 0.25 of the slide", "raw", "corrected", "accuracy")
    assert [] == [name for name in names if name not in shown.stdout]
    assert "Accuracy of early results" in (tmp_path / "replay.html").read_text()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("syn3", "--query", "count() as n size 1 second", "--contract", "drop 1%"), "not about errors"),
        (("a.parquet", "--event-time", "ts", "--contract", "error 3%"), "--query must be given for files"),
        (("syn3", "--query", "count() as n", "--contract", "error 3%"), "say the size of the windows"),
        (("soccer", "--contract", "error 3%"), "has no stream to be aggregated"),
        (("freeway", "--contract", "error 3%", "--early", "25"), "--early must be >= 0 and <= 1, got 25"),
        (("syn3", "--contract", "drop 1%", "--early", "0.25"), "--early must be left out for contracts that are not"),
    ],
)
def test_a_query_that_cannot_be_replayed_is_refused(options, problem):
    shown = run(*options)
    assert 0 != shown.exit_code
    assert problem in " ".join(f"{shown.output} {shown.exception}".split())


def test_a_drop_ratio_is_compared_with_every_way_to_choose_a_slack(tmp_path):
    shown = run("poisson", "--duration", "5 seconds", "--contract", "drop 1%", "--output", str(tmp_path))
    assert 0 == shown.exit_code, shown.output
    assert "poisson: 50,000 rows of s" in shown.stdout
    names = ("drop 1%", "hindsight", "NoSlack", "MaxSlack", "AdaptiveMax", "NormalDelay", "periods")
    assert [] == [name for name in names if name not in shown.stdout]
    assert {"replay.html", "replay.jsonl", "replay.parquet"} == {path.name for path in tmp_path.iterdir()}


def test_drop_ratios_and_recalls_are_shown_together(tmp_path):
    contracts = ("recall 0.9", "fixed 500 ms", "drop 1%")
    options = [option for text in contracts for option in ("--contract", text)]
    shown = run("syn3", *SHORT, "--no-hindsight", *options, "--output", str(tmp_path))
    assert 0 == shown.exit_code, shown.output
    found = [(row["quality"], row["policy"]) for row in figures_in(tmp_path) if row["kind"] == "contract"]
    fixed = "fixed 500 ms"
    expected = [("recall", "recall 0.9 over 1 minute"), ("recall", fixed), ("drop", "drop 0.01 over 1 minute")]
    assert [*expected, ("drop", fixed)] == found


def test_one_file_is_a_stream_for_a_drop_ratio(files, tmp_path):
    columns = ("--event-time", "ts", "--unit", "ms", "--arrival", "seq")
    contract = ("--contract", "drop 5% over 20 seconds", "--no-hindsight")
    shown = run(files[0], *columns, *contract, "--output", str(tmp_path / "out"))
    assert 0 == shown.exit_code, shown.output
    assert 0 < figures_in(tmp_path / "out")[1]["dropped"] < 1


@pytest.mark.parametrize("order", [("--arrival", "seq"), ()])
def test_files_are_joined_as_the_options_say(files, tmp_path, order):
    query = ("--event-time", "ts", "--unit", "ms", "--on", "key", "--within", "5 seconds", *order)
    contract = ("--contract", "recall 0.9 over 20 seconds", "--no-hindsight")
    shown = run(*files, *query, *contract, "--output", str(tmp_path / "out"))
    assert 0 == shown.exit_code, shown.output
    assert "s1_ms, s2_ms" in shown.stdout
    assert figures_in(tmp_path / "out")[0]["results"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("syn3",), "--contract must be given"),
        (
            ("syn3", "--contract", "precision 1"),
            "contract must begin with one of: recall, drop, error, deadline, fixed, max, none",
        ),
        (("traffic", "--contract", "drop 1%"), "dataset 'traffic' has no stream to be replayed by itself"),
        (("a.csv", "b.csv", "--event-time", "t", "--contract", "drop 1%"), "files must be one for a drop ratio"),
        (
            ("a.csv", "--on", "k", "--event-time", "t", "--contract", "drop 1%"),
            "--on must be left out for a drop ratio",
        ),
        (("a.csv", "--contract", "drop 1%"), "--event-time must be given for files"),
        (("poisson", "--duration", "1 second", "--contract", "drop 1%"), "ends within the first period of 1 second"),
        (("nehza", "--contract", "max"), "did you mean nezha? the data sets are syn3, syn4"),
        (("nothing", "--contract", "drop 1%"), "freeway, traffic, traffic-growing; files have an ending: slackwater"),
        (("posson", "--contract", "drop 1%"), "did you mean poisson?"),
        (("traffic", "--contract", "max"), "dataset 'traffic' has no join to be replayed through"),
        (("syn3", "--on", "a1", "--contract", "max"), "--on must be left out for the data set syn3"),
        (("a.csv", "b.csv", "--contract", "max"), "--event-time must be given for files"),
        (("a.csv", "--contract", "max"), "files must be two or more"),
        (("a.csv", "b.csv", "--seed", "1", "--contract", "max"), "--seed must be left out for files"),
        (("a.csv", "b.csv", "--event-time", "t", "--within", "1 s", "--contract", "max"), "'a.csv' is not there"),
        (("syn3", "--duration", "30 seconds", "--contract", "max"), "ends within the first period of 1 minute"),
    ],
)
def test_a_mistake_is_said_in_one_line(arguments, message, tmp_path):
    shown = run(*arguments, "--output", str(tmp_path / "out"))
    assert 1 == shown.exit_code
    assert shown.stderr.startswith(f"slackwater: {message}") or message in shown.stderr
    assert 1 == len(shown.stderr.splitlines())


def test_a_missing_real_set_says_where_it_is_looked_for(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    shown = run("nezha", "--contract", "recall 0.95")
    assert 1 == shown.exit_code
    assert VARIABLE in shown.stderr


def test_a_deadline_is_compared_with_the_policies_of_its_document(tmp_path):
    shown = run("traffic", "--duration", "5 seconds", "--contract", "deadline 6 seconds", "--output", str(tmp_path))
    assert 0 == shown.exit_code, shown.output
    names = (
        "Deadline 6 seconds",
        "deadline 6 seconds",
        "SLTuner, eq. 6",
        "StaticLow",
        "StaticHigh",
        "MaxTimestamp",
        "Tcp",
    )
    assert [] == [name for name in names if name not in shown.stdout]
    assert {6_000_000} == {row["target"] for row in figures_in(tmp_path)}
    page = (tmp_path / "replay.html").read_text()
    assert 4 == page.count('class="figure"')


@pytest.mark.parametrize(
    ("arguments", "must"),
    [
        (("syn3", "--contract", "deadline 6 seconds"), "be traffic or traffic-growing"),
        (("traffic", "--contract", "deadline 6 seconds", "--contract", "drop 1%"), "be deadlines only"),
    ],
)
def test_a_deadline_that_cannot_be_replayed_is_refused(arguments, must):
    shown = run(*arguments)
    assert shown.exit_code
    assert must in str(shown.exception) + shown.output
