"""What results need, against the oracle run with every slack."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.arrivals import Arrivals
from slackwater.core.join import WindowJoin
from slackwater.core.merged import MergedArrivals
from slackwater.core.needed import NeedsState
from slackwater.core.needs import NeedsProfile
from slackwater.events import Events
from tests.builders import SmallJoin, small_joins
from tests.oracle.join import Pipeline, truth

ALL = 10**9


def needs_of(join: SmallJoin, cuts=(), *, late=ALL, others=ALL) -> Counter:
    """(result time, needed slack) -> how many results."""
    streams = len(join.windows)
    nothing, memory = [Events.none()] * streams, NeedsState(longest_lag=1_000, looking=True)
    profile = NeedsProfile(
        WindowJoin(join.windows), join.condition, nothing, memory, late=late, others=others, most_lag=10**6
    )
    clocks: list[int | None] = [None] * streams
    found: Counter = Counter()
    first, stop = join.numbers[0], 0
    for batch in join.batches(cuts):
        stop += sum(len(each.events) for each in batch)
        arrivals = [Arrivals.after(clock, each.events) for clock, each in zip(clocks, batch, strict=True)]
        merged = MergedArrivals.of(arrivals, clocks)
        clocks = [int(each.clock[-1]) if each.steps else clock for each, clock in zip(arrivals, clocks, strict=True)]
        interval = merged.arrival // 100 - first // 100
        following = join.numbers[stop] if stop < len(join.numbers) else join.numbers[-1]
        needs = profile.on_batch(merged, interval, intervals=int(following) // 100 - first // 100 + 1)
        first = int(following)
        for time, slack, weight in zip(needs.time.tolist(), needs.slack.tolist(), needs.weight.tolist(), strict=True):
            found[time, slack] += weight
    return found


@settings(max_examples=200, deadline=None)
@given(small_joins(), st.sampled_from([0, 1, 2, 3, 5, 8]), st.lists(st.integers(0, 24), max_size=3))
def test_a_result_is_missed_exactly_by_the_slacks_that_are_less_than_what_it_needs(join, slack, cuts):
    everything = Counter(time for time, _ in truth(join.arrivals, join.windows, join.condition))
    produced = Pipeline(join.windows, slack, predicate=join.condition).run(join.arrivals, join.steps).results
    missed: Counter = Counter()
    for (time, needed), count in needs_of(join, cuts).items():
        missed[time] += count if needed > slack else 0
    assert everything - Counter(time for time, _ in produced) == +missed


@settings(max_examples=100, deadline=None)
@given(small_joins())
def test_all_true_results_are_found_once(join):
    found: Counter = Counter()
    for (time, _), count in needs_of(join).items():
        found[time] += count
    assert Counter(time for time, _ in truth(join.arrivals, join.windows, join.condition)) == found


def test_nothing_is_needed_where_nothing_is_out_of_order():
    arrivals = tuple((i % 2, i, (0, 0)) for i in range(40))
    found = needs_of(SmallJoin(arrivals, (5, 5), (((0, 1), 0),)))
    assert {0} == {slack for _, slack in found}


def test_a_sample_stands_for_all():
    arrivals = tuple((i % 2, 10 * i - (95 if i % 5 == 3 else 0), (0, 0)) for i in range(4, 2_000))
    join = SmallJoin(arrivals, (50, 50), (((0, 1), 0),))
    everything, sample = needs_of(join), needs_of(join, late=5, others=20)
    some = [sum(count for (_, slack), count in found.items() if slack > 5) for found in (everything, sample)]
    assert abs(sum(everything.values()) - sum(sample.values())) < 0.1 * sum(everything.values())
    assert 0 < abs(some[0] - some[1]) < 0.1 * some[0]


@pytest.mark.parametrize("cuts", [(150, 250, 333), (100, 200), (300,), range(1, 596)])
def test_a_sample_does_not_depend_on_how_batches_are_cut(cuts):
    arrivals = tuple((i % 2, 10 * i - (95 if i % 5 == 3 else 0), (0, 0)) for i in range(4, 600))
    join = SmallJoin(arrivals, (50, 50), (((0, 1), 0),))
    assert needs_of(join, late=5, others=20) == needs_of(join, cuts, late=5, others=20)


def test_events_that_are_not_looked_at_count_for_as_many_results_as_those_before():
    arrivals = tuple((i % 2, 10 * i - (95 if i % 5 == 3 and i < 1_000 else 0), (0, 0)) for i in range(4, 2_000))
    join = SmallJoin(arrivals, (50, 50), (((0, 1), 0),))
    true = len(truth(join.arrivals, join.windows, join.condition))
    assert pytest.approx(true, rel=0.2) == sum(needs_of(join).values())  # how many these are is learned in time
