from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from slackwater.cli.replay import replay
from slackwater.contracts import FixedSlack
from slackwater.errors import ColumnError, DatasetError
from slackwater.experiments.queries import QUERIES
from slackwater.experiments.subject import subject_of_dataset, subject_of_files
from slackwater.sources.catalog import GENERATED
from slackwater.sources.real import HOLDS, VARIABLE, data_folder
from slackwater.time import Duration

BUS = pa.table({"ts": [1, 4, 3, 5], "key": [1, 2, 1, 2]})
SCATS = pa.table({"ts": [2, 3, 6], "key": [1, 2, 2]})
QUERY = {"event_time": "ts", "unit": "s", "on": "key", "within": "2 seconds"}


def results_of(subject) -> int:
    outcomes = subject.run(FixedSlack("1 hour"))
    return int(sum(part.completed.sum() for outcome in outcomes for part in outcome.processed))


def write_json(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


WRITERS = {"parquet": pq.write_table, "csv": pyarrow.csv.write_csv, "jsonl": write_json}


def test_files_that_are_called_alike_are_told_apart_by_their_folders(tmp_path):
    files = [tmp_path / "bus" / "0.parquet", tmp_path / "scats" / "0.csv"]
    for file, table in zip(files, (BUS, SCATS), strict=True):
        file.parent.mkdir()
        WRITERS[file.suffix[1:]](table, file)
    assert ("bus_0", "scats_0") == subject_of_files(files, **QUERY).query.streams


@pytest.mark.parametrize("kind", WRITERS)
def test_files_of_every_kind_give_the_same_results(tmp_path, kind):
    bus, scats = tmp_path / f"bus.{kind}", tmp_path / "scats.parquet"
    WRITERS[kind](BUS, bus)
    pq.write_table(SCATS, scats)
    subject = subject_of_files([bus, scats], **QUERY)
    assert (("bus", "scats"), 7) == (subject.query.streams, subject.rows)
    assert 6 == results_of(subject)  # 1-2 and 3-2; 4-3, 5-3, 4-6 and 5-6


def test_a_missing_column_is_named(tmp_path):
    pq.write_table(BUS, tmp_path / "bus.parquet")
    with pytest.raises(ColumnError, match="'when' does not exist"):
        subject_of_files([tmp_path / "bus.parquet"] * 2, **QUERY | {"event_time": "when"})


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("gone.csv", None, "is not there"),
        ("notes.txt", "hello", "is of no known kind"),
        ("bad.parquet", "hello", "cannot be read"),
        ("bad.jsonl", "{", "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, text, problem):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(DatasetError, match=rf"{name}' {problem}"):
        subject_of_files([tmp_path / name], **QUERY)


@pytest.mark.parametrize("name", sorted(set(QUERIES) & set(GENERATED)))
def test_generated_sets_have_results(name):
    assert results_of(subject_of_dataset(name, duration="5 seconds")) > 0


REAL = sorted(set(QUERIES) - set(GENERATED))


@pytest.mark.parametrize("name", REAL)
def test_real_sets_have_results(name):
    try:
        data_folder()
    except DatasetError as error:
        pytest.skip(str(error))
    assert results_of(subject_of_dataset(name)) > 0


@pytest.mark.parametrize("name", REAL)
def test_a_missing_real_set_names_the_variable_that_says_where_it_is(name, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(DatasetError, match=VARIABLE):
        subject_of_dataset(name)


def test_without_the_folder_of_real_sets_the_error_and_the_help_say_what_it_must_hold(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "missing"))
    with pytest.raises(DatasetError, match="nezha, zeek, flights, umts do not come with slackwater") as raised:
        subject_of_dataset("flights")
    assert "nycflights13/departures.parquet and arrivals.parquet (flights)" in str(raised.value)
    told = " ".join(replay.__doc__.split())
    assert [] == [each for each in re.findall(r"\w+/\w+\.parquet", HOLDS) if each not in told]


def test_a_set_without_a_query_is_refused_with_those_that_have_one():
    with pytest.raises(DatasetError, match="'traffic' has no join to be replayed through; those that have: syn3, "):
        subject_of_dataset("traffic")


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_a_period_holds_many_decisions(query):
    assert Duration.of(query.period).microseconds >= 10 * Duration.of(query.adaptation_interval).microseconds
