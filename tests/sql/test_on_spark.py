"""SQL on Spark: the same texts and files as in process, as streaming queries."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import QueryError
from slackwater.sql.pipeline import read_pipeline
from slackwater.sql.run import run

pytestmark = pytest.mark.spark

BUS = pa.table({"ts": [1, 4, 3, 9, 30, 2], "seq": [0, 2, 4, 6, 8, 10], "line": [5, 7, 5, 7, 9, 5]})
SCATS = pa.table({"ts": [2, 5, 4, 10, 31], "seq": [1, 3, 5, 7, 11], "flow": [500, 450, 100, 600, 1]})
MEETINGS = """
SELECT bus.line, scats.flow * 2 AS twice, xxhash64(bus.line) IS NOT NULL AS hashed
FROM bus [2 SECONDS], scats [2 SECONDS] WHERE abs(bus.ts - scats.ts) <= 1
WITH SLACK 1 SECOND LATE TO side
"""
PIPELINE = """
CREATE STREAM bus WITH (path = 'bus', event_time = 'ts', unit = 's', arrival = 'seq');
CREATE SINK counts WITH (path = 'out/counts', format = 'json');
CREATE SINK missed WITH (path = 'out/missed');
INSERT INTO counts
SELECT line, count(*) AS n FROM bus [RANGE 10 s, SLIDE 10 s] GROUP BY line WITH SLACK 2 SECONDS LATE TO missed
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name, table in {"bus": BUS, "scats": SCATS}.items():
        (tmp_path / name).mkdir()
        pq.write_table(table, tmp_path / name / "0.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def streaming(spark, folder, name: str) -> sw.Stream:
    frame = spark.readStream.schema(spark.read.parquet(str(folder / name)).schema).parquet(str(folder / name))
    return sw.stream(frame, event_time="ts", unit="s", arrival="seq")


def in_process(table: pa.Table) -> sw.Stream:
    return sw.stream(table, event_time="ts", unit="s", arrival="seq")


def test_a_join_writes_the_selected_columns_as_it_would_in_process(spark, folder):
    streams = {name: streaming(spark, folder, name) for name in ("bus", "scats")}
    query = sw.sql(MEETINGS, **streams).start(
        results=folder / "results", checkpoint=folder / "checkpoint", trigger={"availableNow": True}
    )
    query.awaitTermination()
    there = spark.read.parquet(str(folder / "results")).drop("batch").toArrow().to_pylist()
    local = {"bus": in_process(BUS), "scats": in_process(SCATS)}
    here = sw.sql(MEETINGS.replace("xxhash64(bus.line)", "bus.line"), **local).results.slice(0, len(there)).to_pylist()
    assert sorted(map(str, here)) == sorted(map(str, there))
    assert len(there) >= 3


def test_a_pipeline_goes_on_from_its_checkpoint(spark, folder):
    pipeline, checkpoint = read_pipeline(PIPELINE), folder / "checkpoint"
    (first,) = run(pipeline, checkpoint=checkpoint, once=True)
    pq.write_table(pa.table({"ts": [33, 50], "seq": [12, 13], "line": [9, 9]}), folder / "bus" / "1.parquet")
    (second,) = run(pipeline, checkpoint=checkpoint, once=True, drain=True)
    assert (6, 1, 2) == (first.arrived, first.late, second.arrived)
    found = spark.read.json(str(folder / "out" / "counts")).orderBy("window.end", "line").collect()
    assert [(5, 2), (7, 2), (9, 2), (9, 1)] == [(row.line, row.n) for row in found]
    with pytest.raises(sw.SqlError, match="must be empty when the checkpoint is new"):
        list(run(pipeline, checkpoint=folder / "another", once=True))


def test_an_aggregate_of_a_join_is_one_query_with_the_results_that_it_has_in_process(spark, folder):
    met = "FROM bus [2 s], scats [2 s] WHERE abs(bus.ts - scats.ts) <= 1"
    text = f"SELECT line, count(*) AS n, max(scats.flow * 2) AS twice {met} WINDOW [10 s, SLIDE 10 s] GROUP BY line"
    text += " WITH SLACK 1 SECOND"
    created = "".join(
        f"CREATE STREAM {name} WITH (path = '{name}', event_time = 'ts', unit = 's', arrival = 'seq');"
        for name in ("bus", "scats")
    )
    pipeline = read_pipeline(f"{created} CREATE SINK o WITH (path = 'out'); INSERT INTO o {text}")
    (summary,) = run(pipeline, checkpoint=folder / "checkpoint", once=True, drain=True)
    there = spark.read.parquet(str(folder / "out")).drop("batch").orderBy("window.end", "line").toArrow().to_pylist()
    here = sw.sql(text, bus=in_process(BUS), scats=in_process(SCATS)).results.to_pylist()
    assert here == there
    assert ("query 1: join of bus, scats, then aggregate", 11) == (summary.query, summary.arrived)


def test_buckets_that_do_not_keep_groups_together_are_an_error_at_their_clause(spark, folder):
    streams = {name: streaming(spark, folder, name) for name in ("bus", "scats")}
    met = "FROM bus [2 s], scats [2 s] WHERE bus.ts = scats.ts WINDOW [10 s, SLIDE 10 s] GROUP BY line"
    with pytest.raises(sw.SqlError, match="group by what they are made of") as caught:
        sw.sql(f"SELECT count(*) AS n {met} WITH SLACK 1 SECOND BUCKETS 4", **streams)
    assert "BUCKETS 4" == caught.value.text[caught.value.start : caught.value.stop]


def test_a_query_that_fails_is_an_error_of_ours_in_one_line(spark, folder):
    text = PIPELINE.replace("SLACK 2 SECONDS LATE TO missed", "NO SLACK LATE RAISE")
    with pytest.raises(QueryError, match="LateEventError") as caught:
        list(run(read_pipeline(text), checkpoint=folder / "checkpoint", once=True))
    assert "\n" not in str(caught.value)


def test_a_window_that_moves_with_every_row_names_the_engine_that_has_it(spark, folder):
    with pytest.raises(sw.SqlError, match="in process there are"):
        sw.sql("SELECT max(line) FROM bus [RANGE 5 s] WITH NO SLACK", bus=streaming(spark, folder, "bus"))


def test_kafka_without_its_connector_says_how_to_get_it(spark, folder):
    create = "CREATE STREAM k WITH (format = 'kafka', subscribe = 't', event_time = 'timestamp')"
    text = f"{create}; SELECT * FROM k WITH NO SLACK"
    with pytest.raises(sw.SqlError, match="spark-sql-kafka"):
        list(run(read_pipeline(text), checkpoint=folder / "checkpoint"))
