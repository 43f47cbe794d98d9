"""The worked examples of the documents against the oracle, and the oracle against two other ways to the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.join import (
    Event,
    KSlack,
    Pipeline,
    Sun15Join,
    Synchronizer,
    WindowJoin,
    sun15_join,
    truth,
    truth_by_sql,
)

# E2: index, letter and time are (0, c3) (1, E5) (2, B6) (3, C4) (4, D8) (5, e7); S1 is stream 0
FIGURE_1 = [(1, 3, "c"), (0, 5, "E"), (0, 6, "B"), (0, 4, "C"), (0, 8, "D"), (1, 7, "e")]
C4_C3, E5_E7 = (4, (3, 0)), (7, (1, 5))

# E8: Alice 0, Coke 1, Bob 2, Burger 3, Carol 4, Burger 5, Dave 6, by time
FIGURE_1_1 = [(0, 1, 199), (1, 1, 200), (0, 2, 200), (1, 2, 199), (0, 3, 201), (1, 4, 201), (0, 5, 200)]


def same_letter(left: str, right: str) -> bool:
    return left.lower() == right.lower()


def equal(*keys: int) -> bool:
    return len(set(keys)) == 1


# JI16


def test_e1_a_late_event_leaves_when_the_clock_next_grows():
    kslack = KSlack("clock")
    left = [[e.time for e in kslack.on_step([Event(t, 0, i)], 1)] for i, t in enumerate([1, 4, 3, 5, 7, 8, 6, 9])]
    assert [[], [1], [], [3, 4], [5], [7], [], [6, 8]] == left
    assert [9] == [event.time for event in kslack.held]


def test_e2_slack_and_synchronizer_give_the_results_of_sorted_input_in_order():
    assert [C4_C3, E5_E7] == Pipeline((2, 2), 2, predicate=same_letter).run(FIGURE_1).results
    assert [C4_C3, E5_E7] == truth(FIGURE_1, (2, 2), same_letter)


@pytest.mark.parametrize(("expire_all", "expected"), [(False, [(E5_E7, 8)]), (True, [])])
def test_e2_a_join_that_probes_on_arrival_misses_results_or_emits_them_out_of_order(expire_all, expected):
    windows, latest, emitted = [[], []], 0, []
    for index, (stream, time, letter) in enumerate(FIGURE_1):
        latest = max(latest, time)
        for of in (0, 1) if expire_all else (1 - stream,):
            windows[of] = [event for event in windows[of] if event[0] >= time - 2]
        for other_time, other, other_letter in windows[1 - stream]:
            if same_letter(letter, other_letter):
                indices = (index, other) if stream == 0 else (other, index)
                emitted.append(((max(time, other_time), indices), latest))
        windows[stream].append((time, index, letter))
    assert expected == emitted


def test_e2_the_join_alone_produces_nothing_from_the_raw_arrivals():
    join = WindowJoin((2, 2), lambda indices: same_letter(*(FIGURE_1[index][2] for index in indices)))
    processed = [join.on_event(Event(time, stream, i)) for i, (stream, time, _) in enumerate(FIGURE_1)]
    assert [] == [result for event in processed for result in event.results]
    assert [(3, 2, True), (5, 1, True)] == [(e.index, e.late_by, e.inserted) for e in processed if not e.in_order]


def test_e3_synchronizer_passes_late_events_at_once_and_holds_the_leading_stream():
    synchronizer = Synchronizer(streams=2)
    arrivals = [(0, 1), (0, 3), (1, 2), (0, 4), (1, 2), (1, 5), (0, 3)]
    left = [[e.time for e in synchronizer.on_event(Event(t, s, i))] for i, (s, t) in enumerate(arrivals)]
    assert [[], [], [1, 2], [], [2], [3, 4], [3]] == left
    assert (4, [5]) == (synchronizer.passed_on, [event.time for event in synchronizer.held])


def same_slack(clocks, slacks):
    """JI16 Theorem 1: the slack that, given to every stream, is worth the slacks given."""
    return min(clocks) - min(clock - slack for clock, slack in zip(clocks, slacks, strict=True))


@pytest.mark.parametrize(("slacks", "expected"), [((5, 7), 7), ((30, 7), 20)])
def test_e5_one_slack_for_all_streams_is_worth_several(slacks, expected):
    assert expected == same_slack((100, 90), slacks)


def disordered(count: int, *, seed: int, behind: int) -> list[tuple[int, int, int]]:
    """Two streams with an event every 10 units each, delays in steps of 100 up to 20,000, most of them 0."""
    rng = np.random.default_rng(seed)
    columns = []
    for stream, skew in enumerate((2.0, 3.0)):
        share = 1 / np.arange(1, 202) ** skew
        delays = 100 * rng.choice(201, count, p=share / share.sum())
        columns.append((10 * np.arange(count) - behind * stream - delays, rng.integers(0, 20, count)))
    return [(s, int(times[i]), int(keys[i])) for i in range(count) for s, (times, keys) in enumerate(columns)]


@pytest.mark.parametrize("release", ["arrival", "clock"])
@pytest.mark.parametrize("slacks", [(300, 700), (0, 1000), (600, 0)])
def test_e5_unequal_slacks_give_hardly_fewer_results_than_the_equal_one(slacks, release):  # Theorem 1, A24
    arrivals = disordered(1000, seed=1, behind=0)
    unequal, alike = (
        len(Pipeline((500, 500), slack, release=release, predicate=equal).run(arrivals).results)
        for slack in (slacks, same_slack((0, 0), slacks))
    )
    assert unequal <= alike
    assert alike == pytest.approx(unequal, rel=0.005)


def test_e5_unequal_slacks_are_worth_an_equal_one_that_follows_the_clocks():
    """Where one stream runs behind, even the sign of the small difference is open: arrivals are not continuous."""
    arrivals, clocks, slacks = disordered(1000, seed=1, behind=400), {}, []
    for stream, time, _ in arrivals:
        clocks[stream] = max(time, clocks.get(stream, time))
        slacks.append(same_slack((clocks[0], clocks.get(1, clocks[0])), (1500, 200)))
    unequal = Pipeline((500, 500), (1500, 200), predicate=equal).run(arrivals)
    alike = Pipeline((500, 500), slacks.__getitem__, predicate=equal).run(arrivals)
    assert len(alike.results) == pytest.approx(len(unequal.results), rel=0.005)


def test_e5_equal_slacks_keep_the_skew_between_the_streams():  # Proposition 1
    arrivals = [arrival for now in range(10, 60) for arrival in ((0, now, None), (1, now - 7, None))]
    pipeline = Pipeline((5, 5), 3)
    for step, arrival in enumerate(arrivals):
        pipeline.on_step(step, {step: arrival})
    ends = [max(arrivals[i][1] for i in pipeline.released if arrivals[i][0] == stream) for stream in (0, 1)]
    assert 7 == ends[0] - ends[1] == pipeline.kslacks[0].clock - pipeline.kslacks[1].clock


def test_e7_an_event_joins_from_the_others_window_back_to_its_own_window_ahead():
    arrivals = [(0, 10, None), *((1, time, None) for time in range(5, 15))]
    expected = [(10, 7), (10, 8), (10, 9), (10, 10), (11, 11), (12, 12)]  # 10 - W2 .. 10 + W1
    assert expected == [(time, arrivals[indices[1]][1]) for time, indices in truth(arrivals, (2, 3))]
    assert truth(arrivals, (2, 3)) == sorted(Pipeline((2, 3), 20).run(arrivals).results)


# SUN15


def test_e8_windows_on_sorted_input():
    assert [(2, (2, 1)), (2, (0, 3)), (4, (4, 5))] == sun15_join(FIGURE_1_1, (3, 2), predicate=equal)


def test_e9_a_late_event_outside_its_window_is_discarded_with_its_results():
    arrivals = [arrival for arrival in FIGURE_1_1 if arrival != (1, 1, 200)] + [(1, 1, 200)]
    assert [(2, (0, 2)), (4, (3, 4))] == sun15_join(arrivals, (3, 2), predicate=equal)


def situations() -> Sun15Join:
    """E18 after A6 B7 A10 B10, which have the indices 0 to 3."""
    join = Sun15Join((3, 5))
    for stream, time in ((0, 6), (1, 7), (0, 10), (1, 10)):
        join.on_arrival(stream, time, None)
    return join


def test_e18_start():
    join = situations()
    assert (10, [7, 10]) == (join.window_end, [event.time for event in join.contents[1]])


@pytest.mark.parametrize(
    ("time", "expected"), [(7, []), (8, [(10, (4, 3))]), (10, [(10, (4, 1)), (10, (4, 3))]), (12, [])]
)
def test_e18_situations_of_an_event_of_stream_a(time, expected):
    join = situations()
    assert expected == join.on_arrival(0, time, None)
    assert ([4] if time == 7 else []) == join.dropped
    assert ([12] if time == 12 else []) == [event.time for event in join.waiting[0]]


def test_e18_waiting_events_enter_when_the_other_stream_reaches_them():
    join = situations()
    join.on_arrival(0, 12, None)
    assert [(11, (2, 5))] == join.on_arrival(1, 11, None)
    assert (11, [12]) == (join.window_end, [event.time for event in join.waiting[0]])
    assert [(12, (4, 3)), (12, (4, 5))] == join.on_arrival(1, 14, None)
    assert (12, [14]) == (join.window_end, [event.time for event in join.waiting[1]])


def test_situation_2_can_be_left_out():
    join = situations()
    join.situation2 = False
    assert [] == join.on_arrival(0, 8, None)


# The oracle against the truth


@st.composite
def joins(draw, max_size: int = 14):
    """Windows of two or three streams, and few events with few keys."""
    windows = tuple(draw(st.lists(st.integers(0, 6), min_size=2, max_size=3)))
    event = st.tuples(st.integers(0, len(windows) - 1), st.integers(-3, 15), st.integers(0, 1))
    return windows, draw(st.lists(event, max_size=max_size))


@given(joins())
def test_two_ways_to_the_truth_agree(drawn):
    windows, arrivals = drawn
    assert truth(arrivals, windows, equal) == truth_by_sql(arrivals, windows)


@given(joins(), st.sampled_from(["arrival", "clock"]))
def test_a_slack_of_the_largest_delay_gives_the_truth(drawn, release):
    windows, arrivals = drawn
    largest = max(Pipeline(windows).run(arrivals).delays.values(), default=0)
    for slack in (largest, 1_000):
        run = Pipeline(windows, slack, release=release, predicate=equal).run(arrivals)
        assert truth(arrivals, windows, equal) == sorted(run.results)
        assert [] == run.late


@given(joins(), st.lists(st.integers(0, 6), min_size=3, max_size=3), st.sampled_from(["arrival", "clock"]), st.data())
def test_any_slack_gives_true_results_in_order_and_accounts_for_every_event(drawn, slacks, release, data):
    windows, arrivals = drawn
    steps = sorted(data.draw(st.lists(st.integers(0, 9), min_size=len(arrivals), max_size=len(arrivals))))
    per_step = [tuple(slacks[(step + i) % 3] for i in range(len(windows))) for step in range(10)]
    idle = {step: {data.draw(st.integers(0, len(windows) - 1))} for step in data.draw(st.sets(st.integers(0, 9)))}
    run = Pipeline(windows, per_step.__getitem__, release=release, predicate=equal).run(arrivals, steps, idle=idle)
    assert set(run.results) <= set(truth(arrivals, windows, equal))
    assert len(run.results) == len(set(run.results))
    assert run.results == sorted(run.results, key=lambda result: result[0])
    assert list(range(len(arrivals))) == sorted(run.released) == sorted(event.index for event in run.processed)


@given(joins())
def test_both_documents_agree_on_sorted_input_up_to_the_open_end_of_the_window(drawn):
    _, arrivals = drawn
    ordered = sorted(((of % 2, time, key) for of, time, key in arrivals), key=lambda arrival: arrival[1])
    assert truth(ordered, (2, 4), equal) == sorted(sun15_join(ordered, (3, 5), predicate=equal))


# Details that other tests rely on


def test_events_that_arrive_together_are_sorted_for_free_and_have_no_delay_among_themselves():
    run = Pipeline((9, 9)).run([(0, 5, None), (1, 4, None), (0, 3, None), (1, 6, None)], [0, 0, 0, 0])
    assert [2, 1, 0, 3] == run.released
    assert {0: 0, 1: 0, 2: 0, 3: 0} == run.delays
    assert [] == run.late


def test_productivity_counts_what_the_windows_offered_and_what_matched():
    run = Pipeline((5, 5), predicate=equal).run([(0, 1, 7), (0, 2, 8), (1, 3, 7), (0, 4, 7)])
    assert [(0, 0, 0), (1, 0, 0), (2, 2, 1), (3, 1, 1)] == [(e.index, e.cross, len(e.results)) for e in run.processed]


def test_lowering_the_slack_releases_only_at_the_next_arrival_of_the_same_stream():  # A14
    arrivals = [(0, 1, None), (0, 5, None), (1, 5, None), (0, 5, None)]
    pipeline = Pipeline((9, 9), lambda step: 10 if step < 2 else 0)
    held = []
    for step, arrival in enumerate(arrivals):
        pipeline.on_step(step, {step: arrival})
        held.append(len(pipeline.kslacks[0].held))
    assert [1, 2, 2, 0] == held


def test_an_idle_stream_releases_what_it_holds_and_holds_nobody_back_until_it_speaks():
    pipeline = Pipeline((9, 9), 2)
    pipeline.on_step(0, {0: (0, 5, None)})
    pipeline.on_step(1, {1: (1, 5, None)})
    pipeline.on_step(2, {2: (1, 9, None)})
    assert [] == pipeline.processed
    pipeline.on_idle(3, 0)
    assert [0, 1] == [event.index for event in pipeline.processed]
    pipeline.on_step(4, {3: (1, 11, None)})
    assert [0, 1, 2] == [event.index for event in pipeline.processed]
    pipeline.on_step(5, {4: (0, 12, None)})
    pipeline.on_step(6, {5: (1, 15, None)})
    assert [0, 1, 2] == [event.index for event in pipeline.processed]


def test_ties_leave_the_synchronizer_by_stream_then_arrival():
    run = Pipeline((9, 9)).run([(1, 5, None), (1, 5, None), (0, 5, None)])
    assert [2, 0, 1] == [event.index for event in run.processed]
