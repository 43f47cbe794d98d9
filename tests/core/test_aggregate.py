"""The columnar aggregate against one event at a time, and the worked examples of PROD chapter 2."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.aggregate import WindowAggregate, WindowAggregateLogic
from slackwater.core.algebra import Count, Max, Sum, scan
from slackwater.core.cells import Cells, Input
from slackwater.core.closing import Closed
from slackwater.core.early_windows import usual_ones
from slackwater.core.panes import Panes
from slackwater.core.prods import Ask
from slackwater.core.punctuations import Punctuation
from slackwater.events import Events
from tests.oracle.aggregate import OracleAggregate, ProddedAggregate


class Bits:
    """A function of no columns that reduce by themselves: the set of rows, as bits of a number. Finds every error."""

    reductions = None

    def lift(self, values: Any, valid: Any) -> Any:
        return (values,)

    def combine(self, left: Any, right: Any) -> Any:
        assert not (left[0] & right[0]).any(), "an event counted twice"
        return (left[0] | right[0],)

    def lower(self, state: Any) -> Any:
        return state[0], None


def feed(logic: WindowAggregateLogic, *rows: tuple[int, int, int]) -> None:
    """Take in (time, group, value) without closing anything."""
    time, group, value = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    logic.on_batch(logic.arrive(Events.of(time)), group, [Input(value)], slack=10**9)


def shown(out: Closed) -> list[tuple[int, int, int]]:
    """Windows as (number, group, value)."""
    if out.windows is None:
        return []
    cells = out.windows
    return list(zip(cells.place.tolist(), cells.group.tolist(), cells.states[0][0].tolist(), strict=True))


def test_e24_sums_by_sensor_close_at_punctuations():
    logic = WindowAggregate(Panes(60, 20), (Sum(),)).build()
    feed(logic, (211, 1, 25), (215, 1, 20), (216, 2, 30))
    first = shown(logic.on_punctuation(Punctuation(220)))
    feed(logic, (230, 2, 20), (235, 1, 35), (234, 2, 20))
    second = shown(logic.on_punctuation(Punctuation(240)))
    feed(logic, (245, 1, 25))
    assert [(10, 1, 45), (10, 2, 30)] == first
    assert [(11, 1, 80), (11, 2, 70)] == second
    assert (12, 1, 105) == shown(logic.on_end())[0]


def test_e25_paned_sums_are_rolled_up():
    logic = WindowAggregate(Panes(60, 20), (Sum(),)).build()
    found = []
    batches = [[(211, 0, 25), (215, 0, 20), (216, 0, 30)], [(230, 0, 20), (235, 0, 35), (234, 0, 20)]]
    for rows, until in zip([*batches, [(245, 0, 25), (255, 0, 35)]], (220, 240, 260), strict=True):
        feed(logic, *rows)
        found += shown(logic.on_punctuation(Punctuation(until)))
    feed(logic, (265, 0, 26))
    assert [(10, 0, 75), (11, 0, 150), (12, 0, 210)] == found
    held = logic.snapshot().panes
    assert {11: 75, 12: 60, 13: 26} == {pane: int(cells.states[0][0][0]) for pane, cells in held.items()}


def test_e13_a_punctuated_count_discards_what_comes_behind():
    logic = WindowAggregate(Panes(5, 5), (Count(),)).build()
    found, late = [], 0
    for times, until in (((1, 3, 2, 4, 2, 1), 5), ((6, 2, 9, 7, 3), 10), ((12, 8, 4, 3, 9), 15)):
        arrivals = logic.arrive(Events.of(times))
        zeros = np.zeros(len(times), np.int64)
        late += len(logic.on_batch(arrivals, zeros, [Input(zeros)], slack=10**9).late)
        found += [(value, (window + 1) * 5) for window, _, value in shown(logic.on_punctuation(Punctuation(until)))]
    assert ([(6, 5), (3, 10), (1, 15)], 6) == (found, late)


def test_a_window_never_reopens_when_the_slack_grows():
    logic = WindowAggregate(Panes(10, 10), (Count(),)).build()
    ones = np.ones(2, np.int64)
    assert [(0, 0, 1)] == shown(logic.on_batch(logic.arrive(Events.of([1, 10])), ones * 0, [Input(ones)], slack=0))
    out = logic.on_batch(logic.arrive(Events.of([2, 3])), ones * 0, [Input(ones)], slack=100)
    assert [0, 1] == out.late.tolist()


def test_an_event_counts_in_the_windows_that_are_still_open():
    logic = WindowAggregate(Panes(20, 10), (Count(),)).build()
    zeros = np.zeros(3, np.int64)
    out = logic.on_batch(logic.arrive(Events.of([1, 10, 2])), zeros, [Input(zeros)], slack=0)
    assert [(0, 0, 1)] == shown(out)
    assert [(1, 0, 3), (2, 0, 1)] == shown(logic.on_end())


def test_panes_are_forgotten_once_their_last_window_is_closed():
    logic = WindowAggregate(Panes(20, 10), (Max(),)).build()
    feed(logic, (5, 0, 1), (15, 0, 2), (25, 0, 3))
    logic.on_punctuation(Punctuation(30))
    assert [2] == list(logic.snapshot().panes)


def test_numbers_of_results_are_forgotten_once_their_window_is_closed():
    logic = WindowAggregate(Panes(10, 10), (Count(),), numbered=True).build()
    feed(logic, (5, 0, 1), (15, 0, 1), (25, 0, 1))
    logic.on_prod([Ask()])
    assert [0, 1, 2] == logic.snapshot().shown.place.tolist()
    logic.on_punctuation(Punctuation(20))
    assert [2] == logic.snapshot().shown.place.tolist()
    logic.on_end()
    assert logic.snapshot().shown is None


def test_a_year_of_silence_between_two_events_costs_nothing():
    logic = WindowAggregate(Panes(300_000, 1_000), (Count(),)).build()
    zeros = np.zeros(2, np.int64)
    year = 31_536_000_000_000
    assert 300 == len(shown(logic.on_batch(logic.arrive(Events.of([0, year])), zeros, [Input(zeros)], slack=0)))


@st.composite
def disordered(draw: Any, overlap: int = 20) -> tuple[Any, ...]:
    slide = draw(st.integers(1, 7))
    size = slide + draw(st.integers(0, overlap))
    count = draw(st.integers(1, 40))
    pace = draw(st.sampled_from([1, 3, 10]))
    shift = draw(st.sampled_from([0, -50, 1_700_000_000_000_000]))  # the last is a time of our days, in us
    times = [i * pace // 2 - draw(st.integers(0, 15)) + shift for i in range(count)]
    groups = [draw(st.integers(0, 2)) for _ in range(count)]
    numbers = sorted(draw(st.integers(0, count)) for _ in range(count)) if draw(st.booleans()) else list(range(count))
    slack = draw(st.integers(0, 12))
    cuts = sorted({draw(st.integers(0, count)) for _ in range(draw(st.integers(0, 3)))})
    return size, slide, times, groups, numbers, slack, cuts


@settings(max_examples=200, deadline=None)
@given(disordered())
def test_a_batch_equals_one_event_at_a_time(case):
    size, slide, times, groups, numbers, slack, cuts = case
    oracle = OracleAggregate(size, slide)
    for number in sorted(set(numbers)):
        oracle.on_step([(times[i], groups[i], i) for i in range(len(times)) if numbers[i] == number], slack)
    oracle.on_end()
    closed, late = run_in_parts(size, slide, times, groups, numbers, slack, cuts)
    assert (oracle.closed, oracle.late) == (closed, late)


def run_in_parts(size, slide, times, groups, numbers, slack, cuts) -> tuple[Any, Any]:
    """Run in batches, each by a new operator that goes on from the state of the one before."""
    config = WindowAggregate(Panes(size, slide), (Bits(), Count()))
    logic, closed, late = config.build(), [], []
    for start, stop in pairwise([0, *whole_steps(cuts, numbers), len(times)]):
        events = Events(*(np.array(c[start:stop], np.int64) for c in (times, numbers, range(len(times)))))
        inputs = [Input(1 << np.arange(start, stop))] * 2
        out = logic.on_batch(logic.arrive(events), np.array(groups[start:stop]), inputs, slack=slack)
        closed += rows_of(out)
        late += (out.late + start).tolist()
        logic = config.build(logic.snapshot())
    return closed + rows_of(logic.on_end()), late


@settings(max_examples=200, deadline=None)
@given(disordered(overlap=60))
def test_many_small_batches_of_large_overlap_equal_one_event_at_a_time(case):
    size, slide, times, groups, numbers, slack, _ = case
    oracle = OracleAggregate(size, slide)
    logic, closed, late = WindowAggregate(Panes(size, slide), (Bits(), Count())).build(), [], []
    for number in sorted(set(numbers)):
        which = [i for i in range(len(times)) if numbers[i] == number]
        oracle.on_step([(times[i], groups[i], i) for i in which], slack)
        events = Events(*(np.array([c[i] for i in which], np.int64) for c in (times, numbers, range(len(times)))))
        inputs = [Input(1 << np.array(which))] * 2
        out = logic.on_batch(logic.arrive(events), np.array([groups[i] for i in which]), inputs, slack=slack)
        closed += rows_of(out)
        late += (out.late + which[0]).tolist()
    oracle.on_end()
    assert (oracle.closed, oracle.late) == (closed + rows_of(logic.on_end()), late)


@settings(max_examples=200, deadline=None)
@given(disordered(), st.lists(st.integers(-8, 20), min_size=1, max_size=2), st.integers(0, 40))
def test_windows_are_shown_early_as_they_are_one_event_at_a_time(case, leads, changes_at):
    size, slide, times, groups, numbers, later, cuts = case
    asked = tuple(lead for lead in leads if lead < size)
    slack = [0 if number < changes_at else later for number in numbers]
    oracle = ProddedAggregate(size, slide, leads=asked)
    for number in sorted(set(numbers)):
        which = [i for i in range(len(times)) if numbers[i] == number]
        oracle.on_step([(times[i], groups[i], i) for i in which], slack[which[0]])
        oracle.on_prods([])
    logic, found = WindowAggregate(Panes(size, slide), (Bits(), Count())).build(), []
    for start, stop in pairwise([0, *whole_steps(cuts, numbers), len(times)]):
        events = Events(*(np.array(c[start:stop], np.int64) for c in (times, numbers, range(len(times)))))
        first = [i for i in range(start, stop) if i == start or numbers[i] != numbers[i - 1]]
        inputs, by_step = [Input(1 << np.arange(start, stop))] * 2, np.array([slack[i] for i in first])
        out = logic.on_batch(logic.arrive(events), np.array(groups[start:stop]), inputs, slack=by_step, leads=asked)
        found += [
            (("early", "final")[final], *row) for final, row in zip(out.final.tolist(), rows_of(out), strict=True)
        ]
    assert [tuple(row) for *row, _ in oracle.shown] == found


def whole_steps(cuts, numbers) -> list[int]:
    """Cut between steps only."""
    return [cut for cut in cuts if 0 < cut < len(numbers) and numbers[cut] != numbers[cut - 1]]


def rows_of(out: Closed) -> list[tuple[int, int, tuple[int, ...]]]:
    found = [(window, group, tuple(i for i in range(60) if bits >> i & 1)) for window, group, bits in shown(out)]
    if out.windows is not None:
        assert [len(rows) for _, _, rows in found] == out.windows.states[1][0].tolist()
    return found


@pytest.mark.parametrize("overlap", [3, 30, 300])
def test_what_is_combined_grows_at_most_with_the_logarithm_of_the_overlap(overlap):
    combined = []

    class Counting(Bits):
        def combine(self, left, right):
            combined.append(len(left[0]))
            return (left[0] + right[0],)

    logic = WindowAggregate(Panes(overlap * 10, 10), (Counting(),)).build()
    times = np.arange(0, 6_000, 5)
    ones = np.ones(len(times), np.int64)
    logic.on_batch(logic.arrive(Events.of(times)), ones * 0, [Input(ones)], slack=0)
    cells = len(times) // 2
    assert sum(combined) <= len(times) + 2 * cells * np.ceil(np.log2(overlap)) + cells


@pytest.mark.parametrize("behind", [0, 25], ids=["in order", "behind the horizon"])
@pytest.mark.parametrize("overlap", [30, 300])
def test_small_batches_combine_as_much_at_every_overlap(overlap, behind):
    """One slide at a time: cells are combined on their way into the two stacks and out of them, not for each window."""
    combined = []

    class Counting(Bits):
        def combine(self, left, right):
            combined.append(len(left[0]))
            return (left[0] + right[0],)

        def scan(self, state, begins):
            combined.append(len(begins))
            return scan(Sum(), (state[0], state[0]), begins)[:1]

    logic = WindowAggregate(Panes(overlap * 10, 10), (Counting(),)).build()
    slides = 3 * overlap
    for slide in range(slides):
        times = np.array([slide * 10 + 9, slide * 10 - behind])
        logic.on_batch(logic.arrive(Events.of(times)), np.zeros(2, np.int64), [Input(np.ones(2, np.int64))], slack=0)
    assert sum(combined) <= 16 * slides


def test_events_that_are_late_straggling_or_not_on_their_way_yet_are_told_from_the_others():
    none, aside = np.empty(0, np.int64), np.array([False, True, False, False])
    assert [0, 2, 3] == usual_ones(4, none, none, aside).tolist()
    assert [0, 3] == usual_ones(4, np.array([2]), none, aside).tolist()
    assert [0, 1] == usual_ones(4, np.array([2]), np.array([3]), None).tolist()
    assert slice(None) == usual_ones(4, none, none, None)


def tens(*rows: tuple[int, int, int], size: int = 20, **options) -> WindowAggregateLogic:
    """Windows that end every 10, with events (time, group, value) that closed nothing."""
    logic = WindowAggregate(Panes(size, 10), (Sum(),), **options).build()
    feed(logic, *rows)
    return logic


def test_a_prod_shows_open_windows_and_changes_nothing():
    logic = tens((5, 0, 1), (15, 1, 10))
    logic.close_until(10)
    out, counts = logic.on_prod([Ask(first=0, last=1), Ask(groups=np.array([1])), Ask(first=9)])
    assert ([(1, 0, 1), (1, 1, 10), (2, 1, 10)], [2, 2, 0]) == (shown(out), counts)
    assert [False] * 3 == out.final.tolist()
    assert [(1, 0, 1), (1, 1, 10), (2, 1, 10)] == shown(logic.on_end())


def test_events_that_wait_elsewhere_count_in_for_one_prod():
    logic, also = tens((5, 0, 1)), (np.array([6, 25]), np.array([0, 0]), [Input(np.array([100, 1_000]))])
    assert [(0, 0, 101), (1, 0, 101), (2, 0, 1_000), (3, 0, 1_000)] == shown(logic.on_prod([Ask()], also)[0])
    assert [(0, 0, 1), (1, 0, 1)] == shown(logic.on_prod([Ask()])[0])
    assert {0} == logic.panes.changed


def test_where_nothing_is_open_a_prod_shows_nothing():
    out, counts = WindowAggregate(Panes(20, 10), (Sum(),)).build().on_prod([Ask(), Ask()])
    assert ([], [0, 0]) == (shown(out), counts)


def test_what_was_set_aside_goes_to_windows_that_are_open_and_comes_back_for_those_that_are_closed():
    logic, aside = (
        tens((5, 0, 1)),
        Cells.of((Sum(),), np.array([0, 1]), np.zeros(2, np.int64), [Input(np.array([10, 100]))]),
    )
    logic.close_until(10)
    back = logic.take_back(aside)
    assert [(0, 0, 10)] == list(zip(back.place.tolist(), back.group.tolist(), back.states[0][0].tolist(), strict=True))
    assert [(1, 0, 111), (2, 0, 100)] == shown(logic.on_end())


def test_what_was_set_aside_for_closed_windows_alone_is_not_kept():
    logic = tens((45, 0, 1))
    logic.close_until(20)
    back = logic.take_back(Cells.of((Sum(),), np.array([0]), np.zeros(1, np.int64), [Input(np.array([10]))]))
    assert ([0, 1], [4]) == (back.place.tolist(), list(logic.panes))


def test_windows_that_are_handed_over_are_forgotten():
    logic = tens((5, 0, 1), (15, 0, 2), (25, 0, 4), size=10)
    handed = logic.hand_over(1)
    assert ([0, 1], [1, 2]) == (handed.place.tolist(), handed.states[0][0].tolist())
    assert [(2, 0, 4)] == shown(logic.on_end())


def test_the_first_open_window_is_handed_over_and_forgotten_too():
    logic = tens((15, 0, 2), (25, 0, 4), size=10)
    logic.close_until(10)
    assert [1] == logic.hand_over(1).place.tolist()
    assert ([2], [(2, 0, 4)]) == (list(logic.panes), shown(logic.on_end()))


def test_the_earliest_open_time_is_where_the_first_open_window_begins():
    logic = tens((5, 0, 1))
    assert [(-10, 0), (0, 10), (0, 10)] == [_opened(logic, until) for until in (9, 10, 19)]
    logic.close_until(5)
    assert 19 == logic.closed_to


def _opened(logic: WindowAggregateLogic, until: int) -> tuple[int, int]:
    logic.close_until(until)
    return logic.open_from, logic.closed_end


def test_a_punctuation_of_a_group_closes_its_windows_alone_and_once():
    logic = tens((5, 0, 1), (6, 1, 10), (15, 1, 100))
    closed = logic.on_punctuation(Punctuation(20, groups=np.array([1])))
    assert [(0, 1, 10), (1, 1, 110)] == shown(closed)
    assert [(0, 0, 1), (1, 0, 1), (2, 1, 100)] == shown(logic.on_end())


def test_a_range_closes_the_windows_that_it_covers():
    logic = tens((5, 0, 1), (15, 0, 10), (25, 0, 100))
    assert [(2, 0, 110)] == shown(logic.on_punctuation(Punctuation(30, since=10)))
    assert [(0, 0, 1), (1, 0, 11), (3, 0, 100)] == shown(logic.on_end())


def test_at_the_end_all_that_has_events_is_closed_and_stays_so():
    logic = tens((5, 0, 1))
    assert [(0, 0, 1), (1, 0, 1)] == shown(logic.on_end())
    assert (20, []) == (logic.closed_to, shown(logic.on_end()))


def test_a_window_leaves_after_the_step_whose_horizon_reaches_its_end():
    logic = WindowAggregate(Panes(10, 10), (Sum(),)).build()
    out = logic.on_batch(
        logic.arrive(Events.of([5, 9, 10, 31])), np.zeros(4, np.int64), [Input(np.array([1, 2, 4, 8]))], slack=0
    )
    assert ([(0, 0, 3), (1, 0, 4)], [2, 3]) == (shown(out), out.step.tolist())
    assert ([5, 9, 10, 31], [True, True]) == (out.reached.tolist(), out.final.tolist())


def test_the_first_batch_is_shown_early_with_all_that_has_come():
    logic = WindowAggregate(Panes(20, 10), (Sum(),)).build()
    events, values = logic.arrive(Events.of([3, 5, 6, 7])), [Input(np.array([1, 10, 100, 1_000]))]
    out = logic.on_batch(events, np.zeros(4, np.int64), values, slack=100, leads=(4,))
    assert ([(0, 0, 111)], [2], [False]) == (shown(out), out.step.tolist(), out.final.tolist())
