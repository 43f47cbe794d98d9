"""What holds for every generated dataset, found through the catalog; see test_real.py for the real ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from slackwater.errors import DatasetError, ParameterError
from slackwater.sources import NAMES, load
from slackwater.sources.catalog import GENERATED

TIMES = pa.timestamp("us", tz="UTC")


@pytest.fixture(scope="module", params=GENERATED)
def name(request):
    return request.param


def test_same_seed_gives_the_same_dataset(name):
    assert load(name, seed=3, duration="2 minutes") == load(name, seed=3, duration="2 minutes")


def test_another_seed_gives_another_dataset(name):
    assert load(name, seed=3, duration="2 minutes") != load(name, seed=4, duration="2 minutes")


def test_dataset_is_named_as_in_the_catalog(name):
    assert name == load(name, duration="1 minute").name


def test_times_are_utc_microseconds(name):
    for table in load(name, duration="1 minute").streams.values():
        assert (TIMES, TIMES) == (table.schema.field("event_time").type, table.schema.field("arrival_time").type)


def test_arrival_numbers_all_events_once(name):
    dataset = load(name, duration="1 minute")
    assert np.array_equal(np.arange(dataset.rows), dataset.merged()["arrival"].to_numpy())


def test_arrival_increases_within_each_stream(name):
    for table in load(name, duration="1 minute").streams.values():
        assert (np.diff(table["arrival"].to_numpy()) > 0).all()


def test_arrival_time_never_decreases_over_all_streams(name):
    streams = load(name, duration="1 minute").streams.values()
    arrival = np.concatenate([table["arrival"].to_numpy() for table in streams])
    times = np.concatenate([table["arrival_time"].cast(pa.int64()).to_numpy() for table in streams])
    assert (np.diff(times[np.argsort(arrival)]) >= 0).all()


def test_no_column_is_a_dictionary_or_unsigned(name):
    for table in load(name, duration="1 minute").streams.values():
        for field in table.schema:
            assert not pa.types.is_dictionary(field.type)
            assert not pa.types.is_unsigned_integer(field.type)


def test_duration_zero_gives_empty_streams(name):
    assert 0 == load(name, duration="0 seconds").rows


def test_unknown_name_lists_the_names():
    with pytest.raises(DatasetError, match=r"the names are: syn3, .*umts"):
        load("nope")


def test_part_of_a_generated_set_is_refused():
    with pytest.raises(ParameterError, match="part must be left out"):
        load("syn3", part="D-1")


def test_names_hold_the_four_real_sets():
    assert {"nezha", "zeek", "flights", "umts"} <= set(NAMES)
