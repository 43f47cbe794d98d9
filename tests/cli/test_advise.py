from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app

START = 1_700_000_000_000
TIMES = [START + 100 * each - 1_500 * (each % 40 == 7) for each in range(12_000)]


def run(*arguments: str):
    return CliRunner().invoke(app, ["advise", *arguments], env={"COLUMNS": "100"})


@pytest.fixture
def file(tmp_path) -> str:
    path = tmp_path / "bus.parquet"
    pq.write_table(pa.table({"ts": TIMES, "line": ["a", "b", "c"] * 4_000, "n": range(12_000)}), path)
    return str(path)


@pytest.fixture
def pair(tmp_path) -> list[str]:
    rows = pa.table({"ts": TIMES, "key": [each % 97 for each in range(12_000)], "n": range(12_000)})
    paths = [tmp_path / f"{name}.parquet" for name in ("one", "other")]
    for path in paths:
        pq.write_table(rows, path)
    return [str(path) for path in paths]


def test_the_advice_for_a_drop_ratio_has_the_contract_the_delay_and_the_code(file):
    shown = run(file, "--event-time", "ts", "--drop-ratio", "0.5%", "--by", "line")
    assert 0 == shown.exit_code, shown.output
    for text in (
        "bus.parquet: 12,000 rows, 20 min of event time",
        "at most 0.5% of the rows late, in every minute",
        'sw.DropRatio(0.005, over="1 minute")',
        'bus.withWatermark("ts", "1401 milliseconds")',
        "By line: late with the fixed slack",
        'event_time="ts", unit="ms"',
    ):
        assert text in shown.stdout


def test_the_code_that_is_shown_runs(file, capsys):
    found = json.loads(run(file, "--event-time", "ts", "--drop-ratio", "0.5%", "--json", "-").stdout)
    exec(compile(found["snippet"], "snippet", "exec"), {})
    late = round(found["policies"][0]["missed"] * 12_000)
    assert f"{12_000 - late} results, {late} late rows\n" == capsys.readouterr().out


def test_the_code_for_text_times_runs(tmp_path, capsys):
    path = tmp_path / "rows.csv"
    times = [f"2024-05-01T08:{each // 60:02}:{each % 60:02}.5Z" for each in range(1_200)]
    pa.csv.write_csv(pa.table({"at": times}), path)
    found = json.loads(run(str(path), "--event-time", "at", "--parse", "--latency", "5 s", "--json", "-").stdout)
    exec(compile(found["snippet"], "snippet", "exec"), {})
    assert "1200 results, 0 late rows\n" == capsys.readouterr().out


def test_the_advice_for_a_recall_reads_one_file_for_each_stream(pair, capsys):
    shown = run(*pair, "--event-time", "ts", "--recall", "0.99", "--on", "key", "--within", "2 seconds", "--json", "-")
    assert 0 == shown.exit_code, shown.output
    found = json.loads(shown.stdout)
    assert ("results", "recall 0.99 over 1 minute") == (found["what"], found["contract"])
    exec(compile(found["snippet"], "snippet", "exec"), {})
    made = int(capsys.readouterr().out.split()[0])
    assert made / found["total"] == pytest.approx(1 - found["policies"][0]["missed"])


def test_a_latency_becomes_a_cap(file):
    shown = run(file, "--event-time", "ts", "--drop-ratio", "0.005", "--latency", "1 second", "--over", "2 minutes")
    assert 'sw.DropRatio(0.005, over="2 minutes", cap="1 second", adaptation_interval="2 seconds")' in shown.stdout
    assert "The wish cannot be met" in shown.stdout


def test_the_code_for_spark_is_shown_where_it_is_asked_for(file):
    shown = run(file, "--event-time", "ts", "--latency", "1 second", "--spark").stdout
    assert "spark.readStream" in shown
    assert 'sw.MaxSlack(cap="1 second")' in shown


def test_figures_and_a_page_go_to_files(file, tmp_path):
    target = [str(tmp_path / name) for name in ("a.json", "a.html")]
    shown = run(file, "--event-time", "ts", "--drop-ratio", "1%", "--json", target[0], "--html", target[1])
    assert 0 == shown.exit_code, shown.output
    assert 12_000 == json.loads((tmp_path / "a.json").read_text())["rows"]
    assert "What a wait buys" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--event-time", "ts"), "wish must be given, got None; --drop-ratio, --recall or --latency"),
        (("--event-time", "ts", "--drop-ratio", "0"), "target must be > 0 and < 1, got 0.0"),
        (("--event-time", "ts", "--drop-ratio", "100%"), "target must be > 0 and < 1, got 1.0"),
        (("--event-time", "ts", "--drop-ratio", "few"), "have a number after drop"),
        (("--event-time", "tz", "--drop-ratio", "1%"), "column 'tz' does not exist; did you mean ts?"),
        (("--event-time", "ts", "--by", "lime", "--drop-ratio", "1%"), "did you mean line?"),
        (("--event-time", "ts", "--recall", "0.9"), "--recall must come with the window of a join"),
        (("--event-time", "ts", "--recall", ".9", "--drop-ratio", ".1"), "--recall must not come with --drop-ratio"),
        (("--event-time", "ts", "--latency", "10"), "--latency must be a duration"),
        (("--event-time", "ts", "--drop-ratio", "1%", "--on", "line"), "on must come with a window"),
    ],
)
def test_a_mistake_is_said_in_one_line(file, arguments, message):
    shown = run(file, *arguments)
    assert 1 == shown.exit_code
    assert message in shown.stderr
    assert 1 == len(shown.stderr.splitlines())


def test_an_empty_file_and_a_file_without_rows_are_said_to_be(tmp_path):
    (tmp_path / "nothing.csv").touch()
    pq.write_table(pa.table({"ts": pa.array([], pa.int64())}), tmp_path / "none.parquet")
    wish = ("--event-time", "ts", "--drop-ratio", "1%")
    assert "is empty: not even a header" in run(str(tmp_path / "nothing.csv"), *wish).stderr
    assert "has no rows" in run(str(tmp_path / "none.parquet"), *wish).stderr
