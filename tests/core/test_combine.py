"""Combinations and the kernels that find partners."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.compiled import compiled_source
from slackwater.core.arrivals import Arrivals
from slackwater.core.bound import Seeds
from slackwater.core.combine import Combiner
from slackwater.core.merged import MergedArrivals
from slackwater.core.probe import Index, Pool, Triggers
from slackwater.core.sample import Sampler, SampleState
from slackwater.events import Events

ASKED = st.tuples(st.integers(-1, 3), st.integers(0, 20), st.integers(0, 20), st.integers(0, 12))
EVENTS = st.lists(st.tuples(st.integers(0, 20), st.integers(-1, 3), st.integers(-1, 12)), max_size=25)


def pool_of(events):
    time, _, position = (np.array(column, np.int64) for column in zip(*events, strict=True)) if events else [NONE] * 3
    order = np.argsort(time, kind="stable")
    return Pool(time[order], np.arange(len(events))[order], position[order])


NONE = np.empty(0, np.int64)


def partners(events, trigger):
    code, low, high, before = trigger
    return {
        row
        for row, (time, own, position) in enumerate(events)
        if own == code >= 0 and low <= time <= high and position < before
    }


def listed(index, triggers):
    pieces = [(NONE, NONE), *index.pairs(triggers)]
    return tuple(np.concatenate(column) for column in zip(*pieces, strict=True))


@settings(max_examples=150, deadline=None)
@given(
    EVENTS,
    st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 20), st.integers(0, 20), st.integers(0, 12)), max_size=8),
)
def test_an_index_finds_the_partners_of_each_trigger(events, asked):
    pool = pool_of(events)
    codes = np.array([events[row][1] for row in pool.row.tolist()], np.int64)
    index = Index.of(pool, codes, 4)
    columns = [np.array(column, np.int64) for column in zip(*asked, strict=True)] if asked else [NONE] * 4
    triggers = Triggers(*columns)
    expected = [partners(events, trigger) for trigger in asked]
    counts = index.count(triggers)
    assert [len(each) for each in expected] == counts.tolist()
    trigger, row = listed(index, triggers)
    assert expected == [set(row[trigger == i].tolist()) for i in range(len(asked))]


@settings(max_examples=50, deadline=None)
@given(EVENTS)
def test_a_condition_in_the_search_gives_what_a_filter_afterwards_gives(events):
    def kernel(left, i, right, j):
        return (left[0][i] + right[0][j]) % 3 == 0

    pool = pool_of(events)
    index = Index.of(pool, np.zeros(len(pool), np.int64), 1)
    left, right, rows = (np.arange(4),), (np.arange(max(len(events), 1)),), np.arange(4)
    triggers = Triggers(np.zeros(4, np.int64), np.full(4, 3), np.full(4, 15), np.full(4, 9))
    trigger, row = listed(index, triggers)
    keep = (trigger + row) % 3 == 0
    fused = index.pairs_where(triggers, left, rows, _fused(kernel), right)
    assert (trigger[keep].tolist(), row[keep].tolist()) == (fused[0].tolist(), fused[1].tolist())
    counted = index.count_where(triggers, left, rows, _fused(kernel), right)
    assert np.bincount(trigger[keep], minlength=4).tolist() == counted.tolist()


_KNOWN = {}


def _fused(kernel):
    """Compile once: each example makes the same function anew."""
    return _KNOWN.setdefault("kernel", compiled_source(kernel))


class Mixed:
    """Two streams by a key, the third by a predicate over the second and itself."""

    key_streams = ((0, 1),)
    bands = ()

    def __init__(self, keys):
        self.keys = np.array(keys, np.int64)
        self.predicates = (self,)
        self.streams = (1, 2)

    def codes(self, key_class, stream):
        return self.keys

    def code_count(self, key_class):
        return 3

    def passes(self, stream):
        return self.keys < 2 if stream == 2 else None

    def holds(self, rows):
        return (rows[0] + rows[1]) % 2 == 0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=3, max_size=9))
def test_keys_filters_and_predicates_together_equal_a_filter_over_all_combinations(keys):
    rows = np.arange(len(keys))
    condition, pool = Mixed(keys), Pool(rows, rows, np.full(len(keys), -1))
    combiner = Combiner(condition, (pool, pool, pool))
    low, high = (np.zeros(len(keys), np.int64),) * 3, (np.full(len(keys), 99),) * 3
    seeds = Seeds(0, rows, low, high, np.full(len(keys), 99))
    expected = [
        (a, b, c)
        for a, b, c in product(range(len(keys)), repeat=3)
        if keys[a] == keys[b] and keys[c] < 2 and (b + c) % 2 == 0
    ]
    found = combiner.combinations(seeds)
    assert expected == list(zip(*(found.rows[stream].tolist() for stream in range(3)), strict=True))
    assert np.bincount([a for a, _, _ in expected], minlength=len(keys)).tolist() == combiner.count(seeds).tolist()


def test_a_seed_need_not_be_among_the_events_of_its_own_stream():
    own, others = np.array([0, 1]), np.arange(4)
    pools = tuple(Pool(rows, rows, np.full(len(rows), -1)) for rows in (own, others, others))
    seeds = Seeds(0, np.array([3]), (np.zeros(1, np.int64),) * 3, (np.full(1, 99),) * 3, np.full(1, 99))
    found = Combiner(Mixed([1, 1, 1, 1]), pools).combinations(seeds)
    rows = list(zip(*(found.rows[stream].tolist() for stream in range(3)), strict=True))
    assert [(3, b, c) for b, c in product(range(4), repeat=2) if (b + c) % 2 == 0] == rows


@given(st.lists(st.integers(0, 4), max_size=40).map(sorted), st.integers(1, 5), st.integers(0, 40))
def test_a_sampler_chooses_the_same_however_the_stream_is_cut(intervals, most, cut):
    whole = Sampler(most).choose(np.array(intervals, np.int64), intervals=5)[0].tolist()
    first, second = intervals[:cut], intervals[cut:]
    sampler = Sampler(most)
    start = first[-1] if first else 0
    got = sampler.choose(np.array(first, np.int64), intervals=start + 1)[0].tolist()
    sampler = Sampler(most, SampleState(**{name: getattr(sampler.snapshot(), name) for name in SampleState.__slots__}))
    rest = sampler.choose(np.array(second, np.int64) - start, intervals=5 - start)[0] + len(first)
    assert whole == got + rest.tolist()


def test_clocks_of_several_streams_go_on_from_batch_to_batch():
    silent = Arrivals.after(None, Events.none())
    first = MergedArrivals.of([Arrivals.after(None, Events.of([5], arrival=[0])), silent], [None, None])
    assert ([5], [5]) == (first.clock.tolist(), first.slowest.tolist())
    one, other = Events.of([9], arrival=[2]), Events.of([3, 4], arrival=[1, 2])
    second = MergedArrivals.of([Arrivals.after(5, one), Arrivals.after(None, other)], [5, None])
    assert ([5, 9], [3, 4]) == (second.clock.tolist(), second.slowest.tolist())
    assert [1, 3] == second.arrived_by(np.array([0, 1])).tolist()
