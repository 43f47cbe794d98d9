"""The merge pipeline: against the oracle, whatever the batches, and whichever stream comes first."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slackwater.contracts import DropRatio, FixedSlack, MaxSlack
from slackwater.core.event_needs import EventNeeds
from slackwater.pipeline.inputs import SynchronizedInputs
from slackwater.pipeline.join_outcome import joined
from slackwater.time import Duration
from tests.builders import SmallMerge, late_of, merged_rows_of, small_merges
from tests.oracle.merge import Merge

CUTS = st.lists(st.integers(1, 23), max_size=3)
SLACKS = st.integers(0, 6)
RELEASES = st.sampled_from(["arrival", "clock"])
BEHIND_A_TIE = SmallMerge(((1, 4, None), (0, 5, None), (0, 4, None), (1, 6, None)), (1, 1))  # the third, without slack
BEFORE_A_TIE = SmallMerge(((0, 4, None), (1, 5, None), (1, 4, None), (0, 4, None)), (1, 1))  # the third waits
property_test = settings(max_examples=150, deadline=None)


def oracle_of(merge: SmallMerge, slack: int, **options) -> Merge:
    return Merge(len(merge.windows), slack, **options).run(merge.arrivals, merge.numbers)


def ordered(merge: SmallMerge, rows) -> list[int]:
    return sorted(rows, key=lambda row: (merge.arrivals[row][1], merge.arrivals[row][0], row))


@property_test
@given(small_merges(), SLACKS, CUTS, RELEASES)
def test_any_split_into_batches_equals_the_oracle(merge, slack, cuts, release):
    oracle = oracle_of(merge, slack, release=release)
    outcome = merge.run(slack, cuts, release=release)
    assert oracle.merged == merged_rows_of(outcome)
    assert sorted(oracle.late) == sorted(late_of(outcome))


@property_test
@given(small_merges(), SLACKS)
def test_what_leaves_is_always_in_the_total_order(merge, slack):
    merged = merged_rows_of(merge.run(slack))
    assert ordered(merge, merged) == merged


@property_test
@given(small_merges(), SLACKS, CUTS)
@example(BEHIND_A_TIE, 0, [2])
@example(BEFORE_A_TIE, 0, [2])
def test_a_pipeline_that_is_restored_before_every_batch_goes_on_as_if_nothing_had_happened(merge, slack, cuts):
    contract, outcomes = FixedSlack(Duration(slack)), []
    delays = [np.zeros(len(merge.arrivals), np.int64) for _ in merge.windows]
    pipeline = merge.pipeline(contract)
    for batch in merge.batches(cuts):
        outcomes.append(pipeline.on_batch(batch))
        state = json.loads(json.dumps(pipeline.snapshot()))
        pipeline = merge.restored(contract, pipeline.held, state, delays)
    outcome = joined([*outcomes, pipeline.on_end()])
    oracle = oracle_of(merge, slack)
    assert (oracle.merged, sorted(oracle.late)) == (merged_rows_of(outcome), sorted(late_of(outcome)))


@st.composite
def interleavings(draw) -> tuple[SmallMerge, SmallMerge]:
    """Two merges of the same streams, whose arrivals are interleaved in different ways."""
    merge = draw(small_merges(together=False))
    turns = draw(st.permutations([stream for stream, _, _ in merge.arrivals]))
    of_stream = [iter([a for a in merge.arrivals if a[0] == s]) for s in range(len(merge.windows))]
    return merge, SmallMerge(tuple(next(of_stream[stream]) for stream in turns), merge.windows)


def named(merge: SmallMerge, rows) -> list[tuple[int, int]]:
    """Rows as (stream, how many of it came before): names that do not depend on the interleaving."""
    seen = [[s for s, _, _ in merge.arrivals[:row]].count(merge.arrivals[row][0]) for row in rows]
    return [(merge.arrivals[row][0], count) for row, count in zip(rows, seen, strict=True)]


@property_test
@given(interleavings(), st.sampled_from([FixedSlack(Duration(0)), FixedSlack(Duration(2)), MaxSlack()]))
def test_any_interleaving_without_late_rows_gives_the_same_results(pair, contract):
    outcomes = [merge.run_under(contract) for merge in pair]
    if not any(late_of(outcome) for outcome in outcomes):
        one, other = (named(m, merged_rows_of(outcome)) for m, outcome in zip(pair, outcomes, strict=True))
        assert one == other


@property_test
@given(interleavings())
def test_a_slack_that_loses_nothing_sorts_whatever_the_interleaving(pair):
    for merge in pair:
        assert ordered(merge, range(len(merge.arrivals))) == merged_rows_of(merge.run(1_000))


@property_test
@given(small_merges(), st.integers(0, 23), st.integers(0, 1), SLACKS)
def test_a_stream_that_steps_aside_equals_the_oracle(merge, at, stream, slack):
    pipeline, outcomes = merge.pipeline(FixedSlack(Duration(slack))), []
    first = merge.numbers[min(at, len(merge.arrivals) - 1)]
    cut = sum(number <= first for number in merge.numbers)
    outcomes.append(pipeline.on_batch(merge.batch(0, cut)))
    outcomes.append(pipeline.on_idle(stream))
    outcomes.append(pipeline.on_batch(merge.batch(cut, len(merge.arrivals))))
    outcome = joined(outcomes)
    oracle = Merge(len(merge.windows), slack).run(merge.arrivals, merge.numbers, idle={first: [stream]}, drain=False)
    assert (oracle.merged, sorted(oracle.late)) == (merged_rows_of(outcome), sorted(late_of(outcome)))


def needs_of(merge: SmallMerge) -> dict[int, int]:
    """What each time of an event that came behind needs, by the step in which it came."""
    delays = [np.zeros(len(merge.arrivals), np.int64) for _ in merge.windows]
    held = merge.pipeline(FixedSlack(Duration(0))).held
    inputs = SynchronizedInputs(merge.node(FixedSlack(Duration(0))), delays, held.waiting, held.between, {})
    arrivals, _ = inputs.arrive(merge.batch(0, len(merge.arrivals)))
    needs = EventNeeds(len(merge.windows), total_order=True).on_batch(
        arrivals, np.zeros(arrivals.steps, np.int64), intervals=1
    )
    behind = needs.slack > 0
    return dict(zip(needs.step[behind].tolist(), needs.slack[behind].tolist(), strict=True))


@property_test
@given(small_merges(together=False), SLACKS)
@example(BEHIND_A_TIE, 0)
def test_an_event_is_never_late_with_the_slack_that_it_is_said_to_need(merge, slack):
    needs = needs_of(merge)
    assert all(needs.get(row, 0) > slack for row, _ in late_of(merge.run(slack)))


def test_a_row_behind_an_equal_time_of_a_stream_further_back_is_late_by_nothing():
    outcome = BEHIND_A_TIE.run(0)
    assert ([0, 1, 3], [(2, 0)]) == (merged_rows_of(outcome), late_of(outcome))


def test_a_drop_ratio_is_kept_and_measured():
    random = np.random.default_rng(3)
    delays = random.choice([0, 0, 0, 3, 9], 4_000)
    arrivals = tuple((i % 2, i - int(delay), None) for i, delay in enumerate(delays))
    merge = SmallMerge(arrivals, (1, 1))
    contract = DropRatio(0.05, over=Duration(400), adaptation_interval=Duration(20))
    outcome = merge.run_under(contract)
    measured = 1 - outcome.decisions.measured[60:-1]
    assert (measured <= 0.05).mean() > 0.9
    assert 0 < len(late_of(outcome)) < 0.05 * len(arrivals)
