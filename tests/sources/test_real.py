from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from slackwater.errors import DatasetError
from slackwater.sources import delays_of, load
from slackwater.sources.real import REAL, VARIABLE, data_folder


@pytest.fixture
def real():
    try:
        data_folder()
    except DatasetError as error:
        pytest.skip(str(error))
    return load


def late_percent(table: pa.Table) -> float:
    return 100 * np.mean(delays_of(table) > 0)


def in_milliseconds(table: pa.Table) -> pa.Table:
    """The README files measure most sets at ms."""
    floored = table["event_time"].cast(pa.timestamp("ms", tz="UTC"), safe=False)
    return pa.table({"event_time": floored.cast(pa.timestamp("us", tz="UTC")), "arrival": table["arrival"]})


@pytest.mark.parametrize(
    ("part", "rows", "late", "longest_ms"),
    [("D-1", 9_600, 16.1, 4_544), ("D-2", 10_800, 33.9, 3_457), ("D-5", 8_400, 18.9, 1_415)],
)
def test_umts_has_the_figures_of_its_readme(real, part, rows, late, longest_ms):
    merged = real("umts", part=part).merged()
    assert rows == merged.num_rows
    assert pytest.approx(late, abs=0.06) == late_percent(merged)
    assert longest_ms * 1000 == delays_of(merged).max()


def test_umts_has_one_stream_per_device(real):
    assert 8 == len(real("umts").streams)


@pytest.mark.parametrize(("part", "late"), [("merged", 39.9), ("dns", 24.3), ("ssl", 77.1), ("weird", 0.0)])
def test_zeek_has_the_figures_of_its_readme(real, part, late):
    (table,) = real("zeek", part=part).streams.values()
    assert pytest.approx(late, abs=0.06) == late_percent(table)


def test_zeek_has_one_stream_per_log_and_loses_nothing(real):
    dataset = real("zeek")
    assert 157_917 == dataset.rows
    assert {"dns", "ssl", "rdp"} < set(dataset.streams)


@pytest.mark.parametrize(("stream", "late"), [("departures", 59.2), ("arrivals", 83.4)])
def test_flights_have_the_figures_of_their_readme(real, stream, late):
    assert pytest.approx(late, abs=0.06) == late_percent(real("flights").streams[stream])


def test_merged_flights_have_the_figure_of_their_readme(real):
    assert pytest.approx(88.3, abs=0.06) == late_percent(real("flights").merged())


@pytest.mark.parametrize(("day", "spans", "logs"), [("2023-01-29", 59.1, 0.2), ("2023-01-30", 60.3, 0.2)])
def test_nezha_has_the_figures_of_its_readme(real, day, spans, logs):
    streams = real("nezha", part=day).streams
    assert pytest.approx(spans, abs=0.06) == late_percent(in_milliseconds(streams["spans"]))
    assert pytest.approx(logs, abs=0.06) == late_percent(in_milliseconds(streams["logs"]))


@pytest.mark.parametrize("name", REAL)
def test_real_sets_number_their_arrivals_once_and_in_order(real, name):
    dataset = real(name)
    assert (np.diff(dataset.merged()["arrival"].to_numpy()) > 0).all()
    for table in dataset.streams.values():
        assert (np.diff(table["arrival"].to_numpy()) > 0).all()
        assert (np.diff(table["arrival_time"].cast(pa.int64()).to_numpy()) >= 0).all()


def test_duration_keeps_the_first_arrivals(real):
    arrivals = real("umts", duration="1 minute").merged()["arrival"].to_numpy()
    assert np.array_equal(np.arange(len(arrivals)), arrivals)
    assert 500 < len(arrivals) < 1_500


def test_unknown_part_lists_the_parts(real):
    with pytest.raises(DatasetError, match="D-1, D-2, D-3, D-4, D-5"):
        real("umts", part="D-9")


def test_missing_folder_names_the_variable(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(DatasetError, match="set the environment variable SLACKWATER_DATA"):
        load("umts")


def test_incomplete_folder_names_the_missing_file(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(DatasetError, match=r"ooo_umts/events\.parquet"):
        load("umts")
