"""What measures load can be trusted: slopes, samples and the verifier notice what they are for."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.load.backlog import ROW_BYTES, Followed, followed
from tests.load.overload import Overload
from tests.load.queries import QUERIES
from tests.load.rows import NAMES, rows_of, write_chunk
from tests.load.running import rates_of
from tests.load.samples import memory
from tests.load.saturation import Saturation
from tests.load.slope import slope
from tests.load.soak import Soak
from tests.load.verify import Verdict, verify

SECONDS = np.arange(0, 3_600, 5.0)
NOISE = np.random.default_rng(3).normal(0, 5, len(SECONDS))


def test_noise_without_growth_is_flat():
    assert "flat" == slope(SECONDS, 100 + NOISE).verdict


def test_growth_of_a_tenth_an_hour_is_noticed_under_noise():
    found = slope(SECONDS, 100 + SECONDS / 360 + NOISE)
    assert "grows" == found.verdict
    assert found.low <= 10 <= found.high


def test_neighbors_that_are_alike_widen_the_interval():
    minutes = np.convolve(np.random.default_rng(4).normal(0, 1, 64), np.ones(5) / 5, "valid")  # alike for five minutes
    shuffled = np.random.default_rng(5).permutation(minutes)
    along, apart = (slope(SECONDS, np.repeat(each, 12)) for each in (minutes, shuffled))
    assert along.high - along.low > 1.2 * (apart.high - apart.low)


def test_waves_as_large_as_the_level_say_nothing_about_growth():
    assert "unsure" == slope(SECONDS, 100 + 100 * np.sin(SECONDS / 500)).verdict


def test_too_few_minutes_say_nothing_about_growth():
    assert "unsure" == slope(SECONDS[:12], 100 + NOISE[:12]).verdict


def test_memory_counts_what_a_process_has():
    before = memory(os.getpid())
    taken = np.ones(8 * 2**20)  # 64 MB, written to
    assert 50 < memory(os.getpid()) - before < 80
    del taken


def test_rates_count_from_the_end_of_a_batch_to_that_of_the_next():
    batches = [{"at": 0.0, "rows": 1}, {"at": 2.0, "rows": 10}, {"at": 4.0, "rows": 30}]
    assert [5.0, 15.0] == rates_of(batches, 1)


@pytest.fixture
def drained(tmp_path):
    """What a reorder made of its input."""
    write_chunk(tmp_path, 0, rows_of(0, 2_000), 1)
    found = QUERIES["reorder"].of([pq.read_table(tmp_path / "in" / NAMES[0])])
    for output in ("results", "late"):
        (tmp_path / output / "batch=0").mkdir(parents=True)
        pq.write_table(getattr(found, output), tmp_path / output / "batch=0" / "part-0.parquet")
    return tmp_path


def test_what_is_whole_is_good(drained):
    assert verify("reorder", drained).is_good


def test_a_lost_row_and_a_doubled_one_are_noticed(drained):
    file = drained / "results" / "batch=0" / "part-0.parquet"
    rows = pq.read_table(file)
    pq.write_table(rows.take([0, *range(rows.num_rows - 1)]), file)
    verdict = verify("reorder", drained)
    assert (1, 1) == (verdict.lost, verdict.doubled)


def test_results_that_changed_places_are_noticed(drained):
    file = drained / "results" / "batch=0" / "part-0.parquet"
    rows = pq.read_table(file)
    pq.write_table(rows.take([1, 0, *range(2, rows.num_rows)]), file)
    assert 1 == verify("reorder", drained).out_of_order


def waiting(rows_a_second=100_000):
    return [(at, rows_a_second * at) for at in range(60)]


def test_memory_that_stays_while_rows_wait_is_bounded():
    found = followed([(at, 1_500 + noise) for at, noise in zip(range(60), NOISE, strict=False)], waiting())
    assert found.is_bounded
    assert found.low < 0 < found.high


def test_memory_that_grows_with_what_waits_is_noticed_under_noise():
    rows_mb = [rows * ROW_BYTES / 2**20 for _, rows in waiting()]
    memory = [(at, 1_500 + noise + mb) for (at, noise, mb) in zip(range(60), NOISE, rows_mb, strict=False)]
    found = followed(memory, waiting())
    assert not found.is_bounded
    assert found.low < ROW_BYTES < found.high


def test_too_few_samples_say_nothing_about_memory_and_that_is_not_good():
    assert not followed([(at, 1_500.0) for at in range(10)], waiting()).is_bounded


def test_where_nothing_waits_longer_and_longer_nothing_is_said_about_memory():
    with pytest.raises(AssertionError, match="no overload"):
        followed([(at, 1_500.0) for at in range(60)], waiting(rows_a_second=-1))


GOOD = Verdict(arrived=9, results=9, late=0, lost=0, doubled=0, made_up=0, out_of_order=0)
CALM = Followed(1.0, -1.0, 3.0)
OVERLOAD = Overload(
    query="join",
    saturation=1_000.0,
    offered=10_000.0,
    taken=1_000.0,
    minutes=1.0,
    most_in_a_batch=10_000,
    bound=10_000,
    python=CALM,
    heap=CALM,
    most_memory_mb=1_100.0,
    bound_memory_mb=1_200.0,
    waiting_files=9_000,
    most_slack_us=5,
    cap_us=5,
    verdict=GOOD,
)


@pytest.mark.parametrize(
    "change",
    [
        {"python": Followed(40.0, 30.0, 50.0)},
        {"heap": Followed(40.0, 30.0, 50.0)},
        {"most_memory_mb": 1_201.0},
        {"most_in_a_batch": 10_001},
        {"most_slack_us": 6},
        {"offered": 2_000.0},
        {"verdict": replace(GOOD, lost=1)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_an_overload_is_bad_if_any_of_its_bounds_is_not_kept(change):
    assert OVERLOAD.is_good
    assert not replace(OVERLOAD, **change).is_good


def test_a_saturated_query_may_not_go_beyond_the_bound_of_its_batches():
    found = Saturation("join", 1, 9.0, 8.0, 10.0, 50_000, 1.0, 50_000, 1_000.0, GOOD)
    assert found.is_good
    assert not replace(found, most_in_a_batch=50_001).is_good


def test_a_soak_is_bad_if_something_surely_grows_that_keeps_nothing_of_every_batch():
    growing = slope(SECONDS, 100 + SECONDS / 36 + NOISE)
    assert ("java_mb",) == Soak("join", 1.0, 60.0, 9, {"java_mb": growing, "output_batches": growing}, GOOD).growing
    assert Soak("join", 1.0, 60.0, 9, {"output_batches": growing}, GOOD).is_good
    assert not Soak("join", 1.0, 60.0, 9, {"java_mb": growing}, GOOD).is_good
