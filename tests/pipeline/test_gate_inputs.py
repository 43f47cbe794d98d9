"""Merges and joins under a deadline: against the oracle, whatever the batches, and whichever stream comes first."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater.contracts import NO_GOAL, Contract, FixedSlack
from slackwater.events import Events
from slackwater.pipeline.guard import Incoming
from slackwater.pipeline.join_outcome import joined
from slackwater.pipeline.merge import MergePipeline, merged_ready
from slackwater.testing.scripted import ScriptedController
from slackwater.time import Duration
from tests.builders import SmallMerge, late_of, merged_rows_of, small_merges
from tests.oracle.gate import Event, SlackScaleGate
from tests.pipeline.test_merge import interleavings, named, ordered

CUTS = st.lists(st.integers(1, 23), max_size=3)
LIMITS = st.integers(1, 6)
property_test = settings(max_examples=150, deadline=None)


def within(limit: int, **options) -> sw.Deadline:
    return sw.Deadline(Duration(limit), **options)


def oracle_of(merge: SmallMerge, limit: float):
    """Read after every step: rows that left in order, whether they were ready, and late rows."""
    oracle, read = SlackScaleGate(len(merge.windows), readers=1, limit=limit), []
    for step in sorted(set(merge.numbers)):
        for index, (stream, time, _) in enumerate(merge.arrivals):
            if merge.numbers[index] == step:
                oracle.insert(Event(time, stream, index))
        read += oracle.get_all(0)
    left = [(each.event.index, each.ready) for each in read if not each.late]
    drained = [(event.index, True) for event in sorted(oracle.unread[0])]
    return left + drained, [each.event.index for each in read if each.late]


def left_of(outcome) -> list[tuple[int, bool]]:
    return list(zip(merged_rows_of(outcome), merged_ready([outcome]).tolist(), strict=True))


@property_test
@given(small_merges(), LIMITS, CUTS)
def test_any_split_into_batches_equals_the_oracle(merge, limit, cuts):
    outcome = merge.run_under(within(limit), cuts)
    left, late = oracle_of(merge, limit)
    assert (left, sorted(late)) == (left_of(outcome), sorted(row for row, _ in late_of(outcome)))


@property_test
@given(small_merges(), LIMITS, CUTS, st.booleans())
def test_a_pipeline_that_is_restored_before_every_batch_goes_on_as_if_nothing_had_happened(merge, limit, cuts, pair):
    contract: Contract = within(limit)
    if pair:
        contract = sw.DropRatio(0.1, over=Duration(50), adaptation_interval=Duration(5)) & contract
    whole = merge.run_under(contract)
    delays = [np.zeros(len(merge.arrivals), np.int64) for _ in merge.windows]
    pipeline, outcomes = merge.pipeline(contract), []
    for batch in merge.batches(cuts):
        outcomes.append(pipeline.on_batch(batch))
        state = json.loads(json.dumps(pipeline.snapshot()))
        pipeline = merge.restored(contract, pipeline.held, state, delays)
    outcome = joined([*outcomes, pipeline.on_end()])
    assert (left_of(whole), sorted(late_of(whole))) == (left_of(outcome), sorted(late_of(outcome)))
    assert whole.decisions.past.sum() == outcome.decisions.past.sum()


def sorted_streams(merge: SmallMerge) -> SmallMerge:
    """The same arrivals, the times of each stream in order: what SSG17 takes streams for."""
    times = [iter(sorted(t for s, t, _ in merge.arrivals if s == stream)) for stream in range(len(merge.windows))]
    return SmallMerge(tuple((s, next(times[s]), None) for s, _, _ in merge.arrivals), merge.windows)


@property_test
@given(interleavings(), st.integers(1, 40))
def test_any_interleaving_without_slack_ready_rows_gives_the_same_results(pair, limit):
    pair = [sorted_streams(merge) for merge in pair]
    outcomes = [merge.run_under(within(limit)) for merge in pair]
    if all(merged_ready([outcome]).all() for outcome in outcomes):
        one, other = (named(m, merged_rows_of(outcome)) for m, outcome in zip(pair, outcomes, strict=True))
        assert one == other
        assert len(pair[0].arrivals) == len(one)


@property_test
@given(interleavings())
def test_a_deadline_that_is_long_enough_sorts_whatever_the_interleaving(pair):
    for merge in map(sorted_streams, pair):
        assert ordered(merge, range(len(merge.arrivals))) == merged_rows_of(merge.run_under(within(1_000)))


@property_test
@given(small_merges(), LIMITS)
def test_no_row_waits_longer_than_the_deadline_leaves(merge, limit):
    pipeline = merge.pipeline(within(limit))
    pipeline.on_batch(merge.batch(0, len(merge.arrivals)))
    assert all(pipeline.clock - time <= limit for time in pipeline.held.between.time.tolist())


def test_the_fastest_stream_leads_a_stream_that_stops_for_good_by_no_more_than_the_deadline():
    arrivals = ((0, 0, None), (1, 0, None), *((0, time, None) for time in range(1, 50)))
    merge = SmallMerge(arrivals, (1, 1))
    pipeline = merge.pipeline(within(5))
    outcome = pipeline.on_batch(merge.batch(0, len(arrivals)))
    assert (45, 6) == (len(left_of(outcome)), pipeline.counts.buffered)


class Watching(ScriptedController):
    """Waits four, and notes what it is told."""

    def __init__(self) -> None:
        super().__init__((Duration(4),), 0)
        self.seen: list[tuple[int, int]] = []

    def build(self, state=None, goal=NO_GOAL) -> Watching:
        return self

    def observe(self, measurement) -> None:
        self.seen.append((measurement.slack_ready, measurement.stall))


def test_a_controller_sees_what_left_before_it_was_ready_and_how_long_it_waited():
    watching = Watching()
    arrivals = ((0, 0, None), (1, 0, None), *((0, time, None) for time in (2, 7, 12)))
    SmallMerge(arrivals, (1, 1)).run_under(
        sw.Deadline(Duration(9), adaptation_interval=Duration(5), controller=watching)
    )
    assert [(1, 5), (1, 5)] == watching.seen


def test_a_contract_may_gain_and_lose_its_deadline_from_one_start_to_the_next():
    merge = SmallMerge(tuple((i % 2, i, None) for i in range(12)), (1, 1))
    delays = [np.zeros(12, np.int64) for _ in merge.windows]
    contracts = [FixedSlack(Duration(3)), within(4), FixedSlack(Duration(2)), within(1)]
    pipeline, outcomes = merge.pipeline(contracts[0]), []
    for contract, batch in zip(contracts, merge.batches([3, 6, 9]), strict=True):
        pipeline = merge.restored(contract, pipeline.held, pipeline.snapshot(), delays)
        outcomes.append(pipeline.on_batch(batch))
    outcome = joined([*outcomes, pipeline.on_end()])
    assert (list(range(12)), []) == (merged_rows_of(outcome), late_of(outcome))


def test_rows_that_leave_because_a_stream_is_idle_are_not_ready_and_are_counted():
    none = pa.table({"ts": pa.array([], pa.int64()), "seq": pa.array([], pa.int64())})
    streams = [sw.stream(none, name=name, event_time="ts", unit="s", arrival="seq") for name in "ab"]
    node = sw.merge(*streams, contract=sw.Deadline("6 seconds")).node
    pipeline = MergePipeline(node, [np.zeros(3, np.int64), np.zeros(0, np.int64)])
    seconds = Events.of([1_000_000, 2_000_000, 3_000_000])
    pipeline.on_batch([Incoming(seconds), Incoming(Events.none())])
    assert [False, False, False] == merged_ready([pipeline.on_idle(1)]).tolist()
    assert [3] == pipeline.on_end().decisions.past.tolist()
