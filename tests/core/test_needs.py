"""What results need, against the oracle run with every slack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.arrivals import Arrivals
from slackwater.core.join import WindowJoin
from slackwater.core.merged import MergedArrivals
from slackwater.core.needed import Needs, NeedsState
from slackwater.core.needs import NeedsProfile
from slackwater.events import Events
from tests.builders import SmallJoin, small_joins
from tests.oracle.join import Pipeline, truth

ALL = 10**9
LOOKING = NeedsState(longest_lag=1_000, looking=True)


def needs_of(join: SmallJoin, cuts=(), *, memory=LOOKING, **options) -> Counter:
    """(result time, needed slack) -> how many results."""
    profile = profile_of(join, memory, most_lag=10**6, **options)
    found: Counter = Counter()
    for needs in needs_of_batches(profile, join, cuts, interval=100):
        for time, slack, weight in zip(needs.time.tolist(), needs.slack.tolist(), needs.weight.tolist(), strict=True):
            found[time, slack] += weight
    return found


def profile_of(
    join: SmallJoin, memory: NeedsState | None, *, late=ALL, others=ALL, most_lag: int, closed="both"
) -> NeedsProfile:
    config, nothing = WindowJoin(join.windows, closed), [Events.none()] * len(join.windows)
    return NeedsProfile(config, join.condition, nothing, memory, late=late, others=others, most_lag=most_lag)


def needs_of_batches(profile: NeedsProfile, join: SmallJoin, cuts, *, interval: int) -> Iterator[Needs]:
    """Let a profile take in one batch after the other; an interval has so many arrivals."""
    clocks: list[int | None] = [None] * len(join.windows)
    first, stop = join.numbers[0], 0
    for batch in join.batches(cuts):
        stop += sum(len(each.events) for each in batch)
        arrivals = [Arrivals.after(clock, each.events) for clock, each in zip(clocks, batch, strict=True)]
        merged = MergedArrivals.of(arrivals, clocks)
        clocks = [int(each.clock[-1]) if each.steps else clock for each, clock in zip(arrivals, clocks, strict=True)]
        following = join.numbers[stop] if stop < len(join.numbers) else join.numbers[-1]
        before, now = first // interval, int(following) // interval
        yield profile.on_batch(merged, merged.arrival // interval - before, intervals=now - before + 1)
        first = int(following)


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


@settings(max_examples=100, deadline=None)
@given(small_joins(), st.lists(st.integers(0, 24), max_size=3))
def test_a_window_without_its_first_instant_is_one_that_begins_an_instant_later(join, cuts):
    longer = replace(join, windows=tuple(window + 1 for window in join.windows))
    assert needs_of(join, cuts) == needs_of(longer, cuts, closed="right")


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


@pytest.mark.parametrize("cuts", [(), (1, 2, 3), (50, 150, 170), (100, 200)])
def test_an_event_counts_for_one_result_as_long_as_none_was_looked_at_however_batches_are_cut(cuts):
    arrivals = tuple((i % 2, i, (0, 0)) for i in range(250))
    assert 250 == sum(needs_of(SmallJoin(arrivals, (5, 5)), cuts, memory=None).values())


def test_a_tenth_of_what_an_event_counts_for_is_that_of_the_last_interval_with_a_look_at_all():
    join = SmallJoin(tuple((i % 2, i, (0, 0)) for i in range(11)), (5, 5))
    profile = profile_of(join, NeedsState(looking=True), most_lag=0)
    list(needs_of_batches(profile, join, (), interval=10))
    results = len(truth(join.arrivals[:10], join.windows, join.condition))
    assert pytest.approx(0.9 * 1 + 0.1 * results / 10) == profile.snapshot().results_per_event


def remembered(join: SmallJoin, *, interval: int, most_lag: int) -> list[list[int]]:
    """The times of the events of each stream that are remembered in the end, one event at a time."""
    clocks: dict[int, int] = {}
    longest, floor, slowest = 0, None, None
    for number, (stream, time, _) in enumerate(join.arrivals):
        if number and number % interval == 0:
            now = slowest - min(longest, most_lag)
            floor = now if floor is None else max(now, floor)
        longest = max(longest, 0 if slowest is None else slowest - time)
        clocks[stream] = max(clocks.get(stream, time), time)
        slowest = min(clocks.values())
    return [
        sorted(time for s, time, _ in join.arrivals if s == stream and (floor is None or time >= floor - window))
        for stream, window in enumerate(join.windows)
    ]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.sampled_from([0, 0, 1, 7, 30])), min_size=1, max_size=20),
    st.sampled_from([2, 3, 8]),
    st.sampled_from([0, 5, 100]),
)
def test_events_are_remembered_that_one_as_late_as_the_latest_of_past_intervals_can_find(raw, interval, most_lag):
    join = SmallJoin(tuple((stream, 5 * i - back, (0, 0)) for i, (stream, back) in enumerate(raw)), (1, 7))
    profile = profile_of(join, None, most_lag=most_lag)
    list(needs_of_batches(profile, join, (), interval=interval))
    assert remembered(join, interval=interval, most_lag=most_lag) == [events.time.tolist() for events in profile.seen]
