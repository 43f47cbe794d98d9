"""Pipelines in one file: what they read, write and say in the end."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import ParameterError
from slackwater.sql.pipeline import read_pipeline
from slackwater.sql.run import engine_of, explained, run
from slackwater.sql.yaml_form import read_yaml

ROWS = pa.table({"ts": [1, 4, 3, 9, 2], "line": [5, 7, 5, 7, 5], "delay": [90, 10, 70, 20, 65]})
BUS = "CREATE STREAM bus WITH (path = 'bus.parquet', event_time = 'ts', unit = 's');\n"
ORDERED = "SELECT ts FROM bus WITH SLACK 1 SECOND"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    pq.write_table(ROWS, tmp_path / "bus.parquet")
    (tmp_path / "others" / "batch=7").mkdir(parents=True)
    pq.write_table(ROWS, tmp_path / "others" / "batch=7" / "x.parquet")
    (tmp_path / "texts.json").write_text('{"ts": "2024-05-01T08:00:00.5Z"}\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(text: str) -> list:
    return list(run(read_pipeline(text)))


def refusal(text: str, read=ran) -> str:
    with pytest.raises(sw.SqlError) as caught:
        read(text)
    return str(caught.value)


def test_results_go_to_their_sink(folder):
    ran(f"{BUS} CREATE SINK out WITH (path = 'out.parquet'); INSERT INTO out {ORDERED}")
    assert [1, 3, 4, 9] == pq.read_table(folder / "out.parquet")["ts"].to_pylist()


def test_late_rows_go_to_their_sink(folder):
    ran(f"{BUS} CREATE SINK missed WITH (path = 'missed'); {ORDERED} LATE TO missed")
    assert [2] == pq.read_table(folder / "missed" / "batch=0" / "part-0.parquet")["ts"].to_pylist()


def test_decisions_go_to_their_sink(folder):
    ran(f"{BUS} CREATE SINK log WITH (path = 'log.csv'); {ORDERED} DECISIONS TO log")
    assert (folder / "log.csv").read_text().startswith("operator,stream,bucket,at,slack")


def test_structs_are_written_as_json(folder):
    joined = "SELECT * INTO o FROM bus AS a [1 s], bus AS b [1 s] WITH MAX SLACK"
    text = f"{BUS} CREATE SINK o WITH (path = 'o.json'); {joined}"
    ran(text)
    assert {"event_time", "a", "b"} == set(json.loads((folder / "o.json").read_text().splitlines()[0]))


def test_every_row_is_accounted_for_in_the_summary(folder):
    (found,) = ran(f"{BUS} {ORDERED}")
    assert (5, 4, 1, 0) == (found.arrived, found.released, found.late, found.buffered)


def test_late_rows_of_a_query_in_brackets_go_to_their_sink(folder):
    pairs = "SELECT a.line FROM bus AS a [1 s], bus AS b [1 s] WITH NO SLACK LATE TO missed"
    text = f"SELECT count(*) AS n FROM ({pairs}) [9 s, SLIDE 9 s] GROUP BY line"
    (found,) = ran(f"{BUS} CREATE SINK missed WITH (path = 'missed.parquet'); {text}")
    assert ("query 1: join of a, b, then aggregate", 10) == (found.query, found.arrived)
    assert found.late == pq.read_table(folder / "missed.parquet").num_rows > 0


def test_a_sink_of_a_query_in_brackets_must_be_there(folder):
    pairs = "SELECT * FROM bus AS a [1 s], bus AS b [1 s] WITH NO SLACK LATE TO missed"
    assert "CREATE SINK missed" in refusal(f"{BUS} SELECT count(*) AS n FROM ({pairs}) [9 s, SLIDE 9 s]")


def test_dropped_rows_are_counted_as_late(folder):
    (found,) = ran(f"{BUS} {ORDERED} LATE DROP")
    assert 1 == found.late


MERGED, JOINED = "SELECT * FROM MERGE(bus, bus AS b)", "SELECT * FROM bus [1 s], bus AS b [1 s]"
CONTRACTS = [
    (f"{MERGED} WITH NO SLACK", "a fixed policy"),
    (f"{JOINED} WITH RECALL 0.9 OVER 1 MINUTE", "kept at"),
    (f"{MERGED} DEADLINE 6 SECONDS", "rows left before they were ready"),
    (f"{MERGED} WITH DROP 50% AND DEADLINE 6 SECONDS", "DropRatio never had to give way to Deadline"),
    ("SELECT * FROM bus WITH DROP 50%", "of all rows 40 % came late"),
]


@pytest.mark.parametrize(("query", "said"), CONTRACTS, ids=[said for _, said in CONTRACTS])
def test_the_summary_says_what_became_of_the_contract(query, said, folder):
    (found,) = ran(f"{BUS} {query}")
    assert said in found.kept


def test_a_query_without_a_sink_is_shown(folder):
    shown: list[str] = []
    list(run(read_pipeline(f"{BUS} {ORDERED}"), show=shown.append))
    assert ["query 1, results:\nts\n1\n3\n4\n9"] == shown


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_folder_is_read_in_the_order_of_its_files(folder, kind):
    for part in (10, 2):
        sink = f"CREATE SINK o WITH (path = 'all/batch={part}/x.{kind}')"
        ran(f"{BUS} {sink}; INSERT INTO o SELECT ts + {part} AS ts FROM bus WHERE ts < 2 WITH NO SLACK")
    text = f"CREATE STREAM both WITH (path = 'all', format = '{kind}', event_time = 'ts', unit = 's');"
    shown: list[str] = []
    list(run(read_pipeline(f"{text} SELECT ts FROM both WITH NO SLACK"), show=shown.append))
    assert ["query 1, results:\nts\n3\n11"] == shown


def test_stated_columns_are_read_with_their_types(folder):
    (folder / "t.csv").write_text("at,code\n2024-05-01T08:00:00Z,007\n2024-05-01T08:00:01Z,008\n")
    create = "CREATE STREAM t (at TIMESTAMP, code STRING) WITH (path = 't.csv', event_time = 'at');"
    ran(f"{create} CREATE SINK o WITH (path = 'o.parquet'); INSERT INTO o SELECT * FROM t WITH NO SLACK")
    assert ["007", "008"] == pq.read_table(folder / "o.parquet")["code"].to_pylist()


def test_structs_may_be_stated(folder):
    (folder / "t.json").write_text('{"at": "2024-05-01T08:00:00Z", "place": {"x": 1, "y": 2}}\n')
    create = "CREATE STREAM t (at TIMESTAMP, place STRUCT<x: INT, y: INT>) WITH (path = 't.json', event_time = 'at');"
    shown: list[str] = []
    list(run(read_pipeline(f"{create} SELECT place.x + 1 AS x FROM t WITH NO SLACK"), show=shown.append))
    assert ["query 1, results:\nx\n2"] == shown


def test_a_run_replaces_what_the_last_one_wrote(folder):
    for _ in range(2):
        ran(f"{BUS} CREATE SINK o WITH (path = 'o'); INSERT INTO o {ORDERED}")
    assert 4 == pq.read_table(folder / "o").num_rows


def test_a_dataset_needs_no_columns():
    create = "CREATE STREAM bus WITH (dataset = 'traffic', duration = '1 second')"
    (found,) = ran(f"{create}; SELECT * FROM bus WITH NO SLACK")
    assert 500 == found.arrived


def test_a_sink_for_the_console_shows_as_many_rows_as_it_says(folder):
    shown: list[str] = []
    text = f"{BUS} CREATE SINK c WITH (format = 'console', rows = 1); INSERT INTO c {ORDERED}"
    list(run(read_pipeline(text), show=shown.append))
    assert ["query 1, results:\nts\n1\n... 3 more rows"] == shown


def test_explain_runs_nothing(folder):
    text = f"{BUS} CREATE SINK o WITH (path = 'o.parquet'); INSERT INTO o {ORDERED}"
    assert "reorder" in explained(read_pipeline(text))[0]
    assert not (folder / "o.parquet").exists()


WRONG = [
    (f"{BUS} INSERT INTO nowhere {ORDERED}", "CREATE SINK nowhere"),
    (f"{BUS} CREATE SINK jams WITH (path = 'x'); INSERT INTO jam {ORDERED}", "did you mean jams?"),
    (f"{BUS} {BUS} {ORDERED}", "'bus' is there twice"),
    (BUS, "there is no query"),
    (
        "CREATE STREAM b WITH (path = 'texts.json', event_time = 'ts'); SELECT * FROM b WITH NO SLACK",
        "(ts TIMESTAMP, ...)",
    ),
    (
        "CREATE STREAM b (ts NOSUCH) WITH (path = 'bus.parquet', event_time = 'ts'); SELECT * FROM b",
        "types are: BOOLEAN",
    ),
    (f"{BUS} CREATE SINK o WITH (path = 'others'); INSERT INTO o {ORDERED}", "has rows of another run"),
    (f"{BUS} CREATE SINK o WITH (path = 'o'); INSERT INTO o {ORDERED} LATE TO o", "two outputs go to 'o'"),
    ("CREATE STREAM bus WITH (pth = 'x'); SELECT * FROM bus", "did you mean path?"),
    ("CREATE STREAM bus WITH (path = 5); SELECT * FROM bus", "path is a text in quotes"),
    ("CREATE STREAM bus WITH (event_time = 'ts'); SELECT * FROM bus", "it needs one of path, dataset, format"),
    (
        "CREATE STREAM bus WITH (path = 'no.parquet', event_time = 'ts'); SELECT * FROM bus WITH NO SLACK",
        "is not there",
    ),
    ("CREATE STREAM bus WITH (path = 'bus.parquet'); SELECT * FROM bus WITH NO SLACK", "event_time = 'ts'"),
    ("CREATE STREAM bus WITH (dataset = 'trafic'); SELECT * FROM bus WITH NO SLACK", "did you mean traffic?"),
    ("CREATE STREAM tram WITH (dataset = 'traffic'); SELECT * FROM tram WITH NO SLACK", "are: bus, scats"),
    ("CREATE STREAM b WITH (format = 'parqet', path = 'x'); SELECT * FROM b WITH NO SLACK", "did you mean parquet?"),
    ("SET engin = 'spark'; SELECT * FROM bus WITH NO SLACK", "did you mean engine?"),
    ("SET engine = 'flink'; SELECT * FROM bus WITH NO SLACK", "write 'local' or 'spark'"),
    (f"SET engine = 'local'; CREATE STREAM k WITH (format = 'kafka', subscribe = 't'); {ORDERED}", "Spark has it"),
    (f"CREATE STREAM bus WITH (format = 'kafka'); {ORDERED}", "nothing says which topics are read"),
    ("CREATE TABLE bus WITH (path = 'x')", "expected STREAM or SINK"),
]


@pytest.mark.parametrize(("text", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_is_wrong_with_a_pipeline_is_said_at_its_place(text, said, folder):
    assert said in refusal(text)


def test_kafka_means_spark():
    text = "CREATE STREAM k WITH (format = 'kafka', kafka.bootstrap.servers = 'h:1', subscribe = 't'); SELECT * FROM k"
    assert "spark" == engine_of(read_pipeline(text), None)


def test_spark_without_a_checkpoint_is_refused(folder):
    with pytest.raises(ParameterError, match="--checkpoint must be given for Spark"):
        ran(f"SET engine = 'spark'; {BUS} {ORDERED}")


YAML = """
settings: {engine: local}
streams:
  bus: {path: bus.parquet, event_time: ts, unit: s}
sinks:
  out: {path: out.parquet}
queries:
  - into: out
    select: [ts, delay]
    from: bus
    where: delay > 15
    contract: SLACK 1 SECOND
"""
SAME = f"""SET engine = 'local'; {BUS} CREATE SINK out WITH (path = 'out.parquet');
INSERT INTO out SELECT ts, delay FROM bus WHERE delay > 15 WITH SLACK 1 SECOND"""


def test_yaml_says_the_same_as_sql():
    assert read_pipeline(SAME).script == read_yaml(YAML).script


YAML_WRONG = [
    ("streems: {}", "did you mean streams?"),
    ("streams: [1]", "streams must have names and values"),
    ("queries: [{form: bus}]", "did you mean from?"),
    ("queries: [{select: '*', from: bus, where: '('}]", "line 3"),
    ("streams: {bus: {path: [1]}}", "path must be a text"),
    ("a: b: c", "line 1, column 5"),
    ("", "there is no query"),
]


@pytest.mark.parametrize(("text", "said"), YAML_WRONG, ids=[said for _, said in YAML_WRONG])
def test_what_is_wrong_with_yaml_is_said(text, said):
    assert said in refusal(text, read_yaml)


@pytest.mark.parametrize(("value", "remedy"), [("5 minuts", "did you mean 5 minutes?"), ("-5 s", "leave the sign out")])
def test_an_option_that_is_no_duration_is_shown_with_one_that_is(value, remedy):
    text = f"CREATE STREAM bus WITH (path = 'bus.parquet', idle_after = '{value}');\n{ORDERED}"
    with pytest.raises(sw.SqlError) as caught:
        read_pipeline(text)
    assert f"'{value}'" == text[caught.value.start : caught.value.stop]
    assert remedy in str(caught.value)
    assert "timedelta" not in str(caught.value)
