"""Order and kernel are chosen by what was measured; results do not depend on the choice."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.core.work import Estimate, Work, rank
from slackwater.core.work import _is_due as is_due
from slackwater.local.join import run_join


def tables(seed: int, rows: int, *, spread: float = 10.0, count: int = 3) -> list[pa.Table]:
    """Return streams with a key, a place and arrivals of their own."""
    random = np.random.default_rng(seed)
    return [
        pa.table({
            "seq": np.arange(rows) * count + stream,
            "ts": np.arange(rows) * 10 - random.choice([0, 0, 40], rows),
            "k": random.integers(0, 4, rows),
            "x": np.where(random.random(rows) < 0.05, np.nan, random.random(rows) * spread),
        })
        for stream in range(count)
    ]  # fmt: skip


def join(inputs, *, within="200 ms", contract=None, **options):
    streams = [
        sw.stream(t, name=n, event_time="ts", unit="ms", arrival="seq") for n, t in zip("abc", inputs, strict=False)
    ]
    contract = sw.FixedSlack("50 ms") if contract is None else contract
    return sw.join(*streams, within=within, contract=contract, **options)


def run(joined, work):
    outcomes = run_join(joined.node, joined.tables, processing_time=joined.processing_time, work=work)
    return [each.tolist() for o in outcomes if o.results for each in (o.results.time, *o.results.rows)]


def kernels(work):
    return {bands for step in work.steps.values() for bands in step.bands}


WHERE = [
    "abs(a.x - b.x) < 1 and abs(b.x - c.x) < 1",
    "abs(a.x - b.x) < 1 and a.x + b.x > c.x",
    "a.x between b.x - 1 and b.x + 1 and c.k <> a.k and a.k > 0",
]


class Contrary(Work):
    """Chooses at random: bands, and by false estimates the order."""

    def __init__(self, seed):
        super().__init__()
        self.random = np.random.default_rng(seed)

    def estimate(self, *args, **options):
        true = super().estimate(*args, **options)
        return Estimate(float(self.random.random()), dict.fromkeys(true.shares, 1.0), 1.0, set())

    def bands(self, step, estimate, seeds, bound):
        return step.choices[self.random.integers(len(step.choices))]


@pytest.mark.parametrize("options", [{"where": WHERE[0]}, {"where": WHERE[1]}, {"where": WHERE[2], "on": "b.k = c.k"}])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 99))
def test_results_do_not_depend_on_what_is_chosen(options, seed):
    joined = join(tables(seed, 40), **options)
    assert run(joined, Work()) == run(joined, Contrary(seed))


@pytest.mark.parametrize("contract", [sw.Recall(0.9, over="1 second"), sw.NoSlack()])
def test_every_kernel_keeps_the_decisions_of_a_contract(contract):
    joined = join(tables(1, 300, count=2), where="abs(a.x - b.x) < 1", contract=contract)
    assert run(joined, Work("nested")) == run(joined, Work("band")) == run(joined, Work())


def test_nearby_cells_are_searched_where_they_hold_little_of_a_large_window():
    joined = join(tables(2, 3_000, spread=1_000.0, count=2), where="abs(a.x - b.x) < 1", within="20 s")
    work = Work()
    run(joined, work)
    assert work.steps[(0,), 1].bands[0,] > 0.9 * work.steps[(0,), 1].asked


def test_a_small_window_is_searched_as_a_whole():
    joined = join(tables(2, 1_000, spread=1_000.0, count=2), where="abs(a.x - b.x) < 1", within="100 ms")
    work = Work()
    run(joined, work)
    assert {()} == kernels(work)


def test_cells_that_hold_everything_are_not_searched():
    joined = join(tables(2, 1_000, spread=1.0, count=2), where="abs(a.x - b.x) < 5", within="20 s")
    work = Work()
    run(joined, work)
    assert {()} == kernels(work)


def test_filters_of_one_stream_are_applied_before_partners_are_looked_for():
    joined = join(tables(3, 1_000, count=2), where="abs(a.x - b.x) < 1 and a.k = 0 and b.k = 1", within="5 s")
    work = Work("nested")
    run(joined, work)
    step = work.steps[(0,), 1]
    assert (joined.tables[0]["k"].to_numpy() == 0).sum() >= step.asked
    assert 0.3 * 501 > step.offered / step.asked


def test_the_stream_that_leaves_fewest_combinations_for_its_cost_comes_first():
    cross, selective = Estimate(100, {(): 1.0}, 1.0, {()}), Estimate(1_000, {(): 1.0}, 0.0001, {()})
    assert rank(selective, ()) < rank(cross, ())


def test_a_step_costs_a_search_and_a_look_at_all_that_is_offered():
    assert 40 + 100 == Estimate(100, {(): 1.0}, 1.0, {()}).cost(())


def test_cells_cost_a_search_in_each_one_around_scattered_looks_and_putting_events_into_them():
    estimate = Estimate(100, {(): 1.0, (0,): 0.25, (0, 1): 0.125}, 1.0, {()})
    assert 3 * 40 + 3 * 25 == estimate.cost((0,))
    assert 9 * 40 + 3 * 12.5 + 10 * 7 == estimate.cost((0, 1), placed=7)


def test_steps_are_ranked_by_what_they_add_for_what_they_cost():
    assert (100 * 0.5 - 1) / (40 + 100) == rank(Estimate(100, {(): 1.0}, 0.5, {()}), ())


def test_a_measurement_is_renewed_at_powers_of_two_and_then_every_sixteenth_time():
    assert [0, 1, 2, 4, 8, 16, 32, 48] == [uses for uses in range(64) if is_due(uses)]


def test_an_estimate_is_what_the_windows_offer_and_the_conditions_keep():
    places = np.array([0.0, 1.0, 10.0, 11.0])
    inputs = [pa.table({"seq": np.arange(4) * 3 + n, "ts": np.arange(4), "x": places}) for n in range(3)]
    work = Watched()
    run(join(inputs, where="abs(a.x - b.x) < 1.5 and a.x + b.x > 10"), work)
    first = next(each for each in work.given if each.kept < 1)
    # The events of a find 0, 1, 2 and 3 of b before them; of these six pairs only (11, 10) is kept.
    assert (1.5, 1 / 6) == (first.offered, first.kept)


def test_a_selective_condition_is_used_before_a_cross_product():
    joined = join(tables(4, 400), where="abs(a.x - b.x) < 0.01", within={"a": "2 s", "b": "2 s", "c": "100 ms"})
    work = Work()
    run(joined, work)
    from_a = {stream: step.asked for (path, stream), step in work.steps.items() if path == (0,)}
    assert 1 == max(from_a, key=from_a.get)


def test_work_done_in_two_places_adds_up_through_json():
    joined = join(tables(2, 500, spread=1_000.0, count=2), where="abs(a.x - b.x) < 1", within="20 s")
    work, total = Work(), Work()
    run(joined, work)
    for _ in range(2):
        total.add(json.loads(json.dumps(work.snapshot())))
    once, twice = work.steps[(0,), 1], total.steps[(0,), 1]
    assert (2 * once.asked, 2 * once.partners) == (twice.asked, twice.partners)
    assert {bands: 2 * asked for bands, asked in once.bands.items()} == twice.bands


class Watched(Work):
    """Notes which estimates it was given."""

    def __init__(self):
        super().__init__()
        self.given = []

    def estimate(self, *args, **options):
        self.given.append(super().estimate(*args, **options))
        return self.given[-1]


def test_a_measurement_is_remembered():
    contract = sw.Recall(0.9, over="1 second", adaptation_interval="100 ms", controller=sw.control.ModelSearch())
    joined, work = join(tables(5, 2_000, count=2), where="abs(a.x - b.x) < 1", contract=contract), Watched()
    run(joined, work)
    assert len(work.given) > 5 * len({id(each) for each in work.given})


def test_what_was_asked_is_what_the_kernels_were_asked():
    work = Work()
    run(join(tables(2, 300, count=2), where="abs(a.x - b.x) < 1"), work)
    assert {True} == {0 < step.asked == sum(step.bands.values()) for step in work.steps.values()}
