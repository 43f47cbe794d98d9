"""The join pipeline against the oracle that takes one event at a time."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slackwater as sw
from slackwater import control
from slackwater.contracts import FixedSlack, MaxSlack, NoSlack, Recall
from slackwater.pipeline.join_outcome import joined
from slackwater.time import Duration
from tests.builders import SmallJoin, late_of, results_of, small_joins
from tests.oracle.join import Pipeline, truth

SLACKS = st.sampled_from([0, 1, 2, 4, 8])
CUTS = st.lists(st.integers(0, 24), max_size=4)
RECALL = Recall(0.9, over=Duration(12), adaptation_interval=Duration(3))
CONTRACTS = [
    NoSlack(adaptation_interval=Duration(3)),
    FixedSlack(Duration(2), adaptation_interval=Duration(3)),
    MaxSlack(adaptation_interval=Duration(3)),
    MaxSlack(cap=Duration(3), adaptation_interval=Duration(3)),
    RECALL,
    Recall(
        0.9,
        over=Duration(12),
        adaptation_interval=Duration(3),
        controller=control.ModelSearch(granularity=Duration(1), basic_window=Duration(1)),
    ),
]


def oracle(join: SmallJoin, slack: int, release: str = "arrival") -> Pipeline:
    return Pipeline(join.windows, slack, release=release, predicate=join.condition).run(join.arrivals, join.steps)


@settings(max_examples=300, deadline=None)
@given(small_joins(), SLACKS, CUTS, st.sampled_from(["arrival", "clock"]))
def test_any_split_gives_the_results_of_the_oracle(join, slack, cuts, release):
    expected = oracle(join, slack, release)
    got = join.run(slack, cuts, release=release)
    assert sorted(expected.results) == sorted(results_of(got))
    assert sorted(expected.late) == sorted(late_of(got))


@settings(max_examples=150, deadline=None)
@given(small_joins(), SLACKS, CUTS)
def test_results_leave_in_order_and_in_the_same_order_for_any_split(join, slack, cuts):
    whole, split = results_of(join.run(slack)), results_of(join.run(slack, cuts))
    assert whole == split
    assert sorted(time for time, _ in whole) == [time for time, _ in whole]


@settings(max_examples=150, deadline=None)
@given(small_joins(), SLACKS, CUTS)
def test_counting_finds_as_many_results_as_listing(join, slack, cuts):
    listed, counted = join.run(slack, cuts), join.run(slack, cuts, listing=False)
    assert counted.results is None
    for one, other in zip(listed.processed, counted.processed, strict=True):
        assert one.completed.tolist() == other.completed.tolist()


@settings(max_examples=100, deadline=None)
@given(small_joins())
def test_a_slack_that_loses_nothing_gives_the_truth(join):
    assert truth(join.arrivals, join.windows, join.condition) == sorted(results_of(join.run(1_000)))


@settings(max_examples=60, deadline=None)
@given(small_joins(together=False), CUTS, st.sampled_from(CONTRACTS))
def test_every_event_is_accounted_for_under_any_contract(join, cuts, contract):
    pipeline = join.pipeline(contract)
    for batch in join.batches(cuts):
        pipeline.on_batch(batch)
        assert pipeline.counts.balanced
    pipeline.on_end()
    counts = pipeline.counts
    assert (len(join.arrivals), 0) == (counts.arrived, counts.buffered)


@settings(max_examples=60, deadline=None)
@given(small_joins(together=False), CUTS, st.sampled_from(CONTRACTS))
def test_a_pipeline_that_is_restored_after_every_batch_goes_on_as_if_nothing_happened(join, cuts, contract):
    expected = join.run_under(contract, cuts)
    pipeline, outcomes = join.pipeline(contract), []
    delays = [np.zeros(len(join.arrivals), np.int64) for _ in join.windows]
    pipeline = join.restored(contract, pipeline.held, pipeline.snapshot(), delays)
    for batch in join.batches(cuts):
        outcomes.append(pipeline.on_batch(batch))
        state = json.loads(json.dumps(pipeline.snapshot()))
        pipeline = join.restored(contract, pipeline.held, state, delays)
    got = joined([*outcomes, pipeline.on_end()])
    assert results_of(expected) == results_of(got)
    assert late_of(expected) == late_of(got)
    assert expected.decisions.slack.tolist() == got.decisions.slack.tolist()
    np.testing.assert_array_equal(expected.decisions.measured, got.decisions.measured)


@settings(max_examples=60, deadline=None)
@given(small_joins(together=False), CUTS, st.sampled_from(CONTRACTS))
def test_decisions_do_not_depend_on_how_batches_are_cut(join, cuts, contract):
    whole, split = join.run_under(contract), join.run_under(contract, cuts)
    assert whole.decisions.at.tolist() == split.decisions.at.tolist()
    assert whole.decisions.slack.tolist() == split.decisions.slack.tolist()
    assert results_of(whole) == results_of(split)


def test_the_delay_of_a_late_event_beyond_the_cap_is_over_cap():
    join = SmallJoin(((0, 10, (0,)), (1, 10, (0,)), (0, 20, (0,)), (1, 20, (0,)), (0, 11, (0,))), (5, 5))
    outcome = join.run_under(FixedSlack(Duration(0), cap=Duration(3)))
    assert [["over_cap"], []] == [[str(reason) for reason in late.reason] for late in outcome.late]


def test_a_cap_bounds_the_slack_of_the_default():
    arrivals = [(i % 2, 10 * i - (95 if i % 7 == 3 else 0), (0,)) for i in range(10, 200)]
    join = SmallJoin(tuple(arrivals), (50, 50), (((0, 1), 0),))
    contract = Recall(0.99, over=Duration(200), adaptation_interval=Duration(20), cap=Duration(40))
    assert 40 == max(join.run_under(contract).decisions.slack)


@pytest.mark.parametrize("cuts", [(), (3,), (2, 4)])
def test_an_idle_stream_steps_aside_until_it_speaks(cuts):
    join = SmallJoin(((0, 1, ()), (1, 1, ()), (0, 5, ()), (0, 9, ()), (1, 12, ()), (0, 13, ())), (3, 3))
    expected = Pipeline(join.windows, 1).run(join.arrivals, idle={3: [1]})
    pipeline = join.pipeline(FixedSlack(Duration(1)))
    outcomes = [pipeline.on_batch(join.batch(0, 4)), pipeline.on_idle(1)]
    outcomes += [pipeline.on_batch(join.batch(4, 6)), pipeline.on_end()]
    got = joined(outcomes)
    assert expected.results == results_of(got)
    assert sorted(expected.late) == sorted(late_of(got))


def test_an_idle_stream_that_speaks_into_its_buffer_is_waited_for_again():
    arrivals = ((0, 10, ()), (1, 10, ()), (0, 20, ()), (1, 31, ()), (0, 40, ()), (0, 50, ()), (1, 52, ()), (0, 53, ()))
    join = SmallJoin(arrivals, (30, 30))
    expected = Pipeline(join.windows, 5).run(join.arrivals, idle={2: [1]})
    pipeline = join.pipeline(FixedSlack(Duration(5)))
    outcomes = [pipeline.on_batch(join.batch(0, 3)), pipeline.on_idle(1)]
    outcomes += [pipeline.on_batch(join.batch(i, i + 1)) for i in range(3, 8)]
    got = joined([*outcomes, pipeline.on_end()])
    assert expected.results == results_of(got)


def test_turned_away_events_count_in_the_decision_after_they_came():
    join = SmallJoin(((0, 0, ()), (1, 0, ()), (0, 5, ()), (1, 6, ()), (0, 9, ())), (3, 3))
    first, second = join.batch(0, 5)
    known = np.array([True, False, True])
    pipeline = join.pipeline(NoSlack(adaptation_interval=Duration(3)))
    decided = pipeline.on_batch([replace(first, has_time=known), second]).decisions
    assert [4, 5] == decided.arrived.tolist()
    assert [1, 1] == decided.late.tolist()


def busy_join(steps=None) -> SmallJoin:
    """Enough arrivals for sampling to matter: every tenth event is late."""
    arrivals = tuple((i % 2, 10 * i - (170 if i % 10 == 7 else 0), (i % 3, 0)) for i in range(20, 1_500))
    return SmallJoin(arrivals, (60, 60), (((0, 1), 0),), steps)


@pytest.mark.parametrize("cuts", [range(5, 1_480, 5), range(1, 1_480), (700,)])
def test_the_default_decides_the_same_wherever_batches_are_cut(cuts):
    contract = Recall(0.95, over=Duration(2_000), adaptation_interval=Duration(50))
    whole, cut = busy_join().run_under(contract), busy_join().run_under(contract, list(cuts))
    assert whole.decisions.slack.tolist() == cut.decisions.slack.tolist()
    assert results_of(whole) == results_of(cut)
    assert 0 < whole.decisions.slack.max()


def test_events_that_arrive_together_need_no_slack_for_their_order_among_themselves():
    mixed = [10 * i for k in range(0, 1_000, 100) for i in sorted(range(k, k + 100), key=lambda i: i * 7 % 100)]
    arrivals = tuple((i % 2, time, (0, 0)) for i, time in enumerate(mixed))
    join = SmallJoin(arrivals, (60, 60), (((0, 1), 0),), tuple(i // 100 for i in range(1_000)))
    outcome = join.run_under(Recall(0.95, over=Duration(2_000), adaptation_interval=Duration(50)))
    assert {0} == set(outcome.decisions.slack.tolist())


@pytest.mark.parametrize("controller", [control.PD(), control.LateDegreeModel(), control.ModelSearch()])
def test_the_documents_controllers_do_not_wait_where_nothing_is_out_of_order(controller):
    arrivals = tuple((i % 2, 1_000 * i, (0, 0)) for i in range(3_000))
    contract = Recall(0.9, over=Duration(600_000), adaptation_interval=Duration(20_000), controller=controller)
    outcome = SmallJoin(arrivals, (5_000, 5_000), (((0, 1), 0),)).run_under(contract)
    assert 1_000 >= outcome.decisions.slack[10:].max()


CONTROLLERS = [
    None,
    control.ModelSearch(),
    control.LateDegreeModel(),
    control.PD(),
    control.MaxDelay(),
    control.Speculative(control.NeededSlack(), alpha=0.5),
]


@pytest.mark.parametrize("before", CONTROLLERS)
@pytest.mark.parametrize("after", CONTROLLERS)
def test_another_controller_can_take_over_an_old_state(before, after):
    join = busy_join()
    first, second = (
        Recall(0.9, over=Duration(2_000), adaptation_interval=Duration(50), controller=each) for each in (before, after)
    )
    delays = [np.zeros(len(join.arrivals), np.int64) for _ in join.windows]
    pipeline = join.pipeline(first)
    pipeline.on_batch(join.batch(0, 700))
    state = json.loads(json.dumps(pipeline.snapshot()))
    pipeline = join.restored(second, pipeline.held, state, delays)
    pipeline.on_batch(join.batch(700, 1_400))
    assert pipeline.counts.balanced


def test_speculation_about_the_default_lets_it_learn():
    contract = Recall(
        0.99,
        over=Duration(2_000),
        adaptation_interval=Duration(50),
        controller=control.Speculative(control.NeededSlack(), alpha=1.0),
    )
    assert 100 < busy_join().run_under(contract).decisions.slack.max()


def test_one_event_from_long_ago_does_not_keep_everything_in_memory():
    join = busy_join()
    arrivals = (*join.arrivals[:50], (0, -(10**9), (0, 0)), *join.arrivals[50:])
    late = SmallJoin(arrivals, join.windows, join.classes)
    pipeline = late.pipeline(Recall(0.9, over=Duration(200), adaptation_interval=Duration(50)))
    pipeline.on_batch(late.batch(0, len(arrivals)))
    assert 300 > len(pipeline.held.seen[0])


def test_an_idle_stream_does_not_keep_everything_in_memory():
    arrivals = tuple((0 if i > 100 else i % 2, 10 * i, (0, 0)) for i in range(1_000))
    join = SmallJoin(arrivals, (60, 60), (((0, 1), 0),))
    pipeline = join.pipeline(Recall(0.9, over=Duration(200), adaptation_interval=Duration(50)))
    pipeline.on_batch(join.batch(0, 101))
    pipeline.on_idle(1)
    pipeline.on_batch(join.batch(101, 1_000))
    assert 300 > len(pipeline.held.seen[0])


def test_many_keys_of_many_values_do_not_overflow():
    rng = np.random.default_rng(1)
    keys = {name: rng.integers(0, 65_000, 200) for name in "pqrs"}
    table = pa.table({"ts": np.arange(200), "seq": np.arange(200), **keys})
    frames = [sw.stream(table, name=name, event_time="ts", unit="ms", arrival="seq") for name in "ab"]
    joined_ = sw.join(*frames, on=list("pqrs"), within="1 second", contract=sw.FixedSlack("1 second"))
    assert 200 == joined_.results.num_rows
