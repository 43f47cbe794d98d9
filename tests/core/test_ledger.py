"""Results that are watched until no more rows are to be expected."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.core.algebra import Count
from slackwater.core.arrivals import Arrivals
from slackwater.core.cells import Input
from slackwater.core.ledger import ResultLedger
from slackwater.core.panes import Panes
from slackwater.estimate.needed_slack import slack_of_bin
from slackwater.events import Events


def ledger(**options) -> ResultLedger:
    given = {"panes": Panes(100, 50), "functions": (Count(),), "counted": (True,), "bound": 0.05, "youngest": 20}
    return ResultLedger(**{**given, **options})


def disordered(rows: int, seed: int = 1):
    random = np.random.default_rng(seed)
    delays = np.where(random.random(rows) < 0.7, 0, random.exponential(60, rows)).astype(np.int64)
    return np.arange(rows) * 2 - delays, random.integers(0, 4, rows)


def judged(config: ResultLedger, times, group, cuts) -> list[tuple]:
    """Take rows in batches, each ledger built anew from what the one before remembered."""
    found, state = [], None
    for start, stop in pairwise(cuts):
        logic = config.build(state)
        events = Events.of(times[start:stop], arrival=np.arange(start, stop))
        arrivals = Arrivals.after(None if state is None else state.clock, events)
        out = logic.on_batch(arrivals, group[start:stop], [Input(np.zeros(stop - start))])
        found += [(int(out.due[i]), int(out.end[i]), sorted(out.of(i).tolist())) for i in range(len(out))]
        logic.forget()
        state = logic.snapshot()
    return found


@pytest.mark.parametrize("options", [{}, {"most": 30}, {"panes": Panes(100, 7)}], ids=str)
def test_how_a_stream_is_cut_does_not_change_what_is_judged(options):
    times, group = disordered(2_000)
    whole = judged(ledger(**options), times, group, [0, 2_000])
    parts = judged(ledger(**options), times, group, [0, 1, 2, 77, 500, 501, 1_900, 2_000])
    assert sorted(whole) == sorted(parts)
    assert len(whole) > 20


def test_a_window_is_judged_again_when_it_is_twice_as_old_and_more_rows_came():
    times = np.array([0, 50, 99, 200, 240, 250, 80, 420])  # the row at 80 comes 150 behind the end of its window
    found = judged(ledger(panes=Panes(100, 100)), times, np.zeros(8, np.int64), [0, 8])
    ages = [(due - end, bins) for due, end, bins in found if end == 100]
    assert [(20, [0])] == [(age, bins) for age, bins in ages if age < 151]
    assert 151 <= slack_of_bin(ages[-1][1][0])


def test_windows_that_began_before_the_stream_are_not_watched():
    found = judged(ledger(panes=Panes(100, 100)), np.array([30, 150, 260, 400]), np.zeros(4, np.int64), [0, 4])
    assert {200, 300} == {end for _, end, _ in found}


def test_what_is_kept_does_not_grow_with_the_length_of_the_stream():
    times, group = disordered(20_000)
    logic, sizes = ledger().build(), []
    for start in range(0, 20_000, 1_000):
        rows = slice(start, start + 1_000)
        clock = logic.snapshot().clock
        arrivals = Arrivals.after(clock, Events.of(times[rows], arrival=np.arange(start, start + 1_000)))
        logic.on_batch(arrivals, group[rows], [Input(np.zeros(1_000))])
        logic.forget()
        sizes.append(len(logic.snapshot().windows))
    assert max(sizes[2:]) <= 4 * 700 / 50 + 10


def test_of_windows_that_overlap_much_some_are_watched():
    assert Panes(100, 25) == ledger(panes=Panes(100, 1)).watched


@given(st.lists(st.integers(0, 400), min_size=1, max_size=6), st.integers(0, 300), st.integers(0, 3_000))
def test_windows_that_closed_count_once_where_events_may_still_come_to_them(steps, slack, silence):
    clock = np.cumsum([silence, *steps])
    reached = clock - slack
    found = ledger(youngest=10, most=100).build().ends_reached(clock, reached, -slack).tolist()
    most = 4 * 100  # four times the longest wait that makes sense
    expected, closed = [], -slack
    for now, upto in zip(clock.tolist(), reached.tolist(), strict=True):
        expected += [end for end in range(-300, upto + 1, 50) if max(closed, now - most) < end]
        closed = upto
    assert expected == found


def test_after_the_end_of_the_input_no_window_of_it_is_held_or_comes_again():
    logic = ledger().build()
    arrivals = Arrivals.after(None, Events.of(np.arange(0, 400, 10), arrival=np.arange(40)))
    logic.on_batch(arrivals, np.zeros(40, np.int64), [Input(np.zeros(40))])
    last = int(logic.ends[-1])
    logic.on_end()
    assert (last + 1, {}) == (logic.gone, dict(logic.snapshot().windows))


@pytest.mark.parametrize(
    ("options", "first"),
    [({}, 10), ({"most": 5}, 930), ({"most": 100}, 610), ({"youngest": 50}, 10), ({"youngest": 50, "most": 5}, 810)],
)
def test_a_window_is_kept_for_eight_slides_or_four_times_what_may_be_waited(options, first):
    logic = ledger(**{"panes": Panes(10, 10), "youngest": 1, **options}).build()
    ends = logic.ends_reached(np.array([1_000]), np.array([1_000]), 0)
    assert (first, 1_000) == (ends[0], ends[-1])


def test_a_window_is_kept_for_no_more_than_512_slides():
    logic = ledger(panes=Panes(10, 10), youngest=1, most=10**6).build()
    assert 10_000 - 5_120 + 10 == logic.ends_reached(np.array([10_000]), np.array([10_000]), 0)[0]


def test_the_ends_that_windows_reach_are_each_said_once_step_by_step():
    logic = ledger(panes=Panes(10, 10)).build()
    found = logic.ends_reached(np.array([20, 35, 50]), np.array([20, 35, 50]), 9)
    assert [10, 20, 30, 40, 50] == found.tolist()
    assert [] == logic.ends_reached(np.array([20]), np.array([19]), 10).tolist()


def test_of_windows_that_overlap_up_to_four_times_all_are_watched():
    assert [100, 25, 20] == [ledger(panes=Panes(100, slide)).watched.slide for slide in (100, 25, 10)]


def kept(*times: int) -> list[int]:
    """The ends of the windows of 10 that are kept, after events one at a time."""
    logic = ledger(panes=Panes(10, 10), youngest=1).build()
    zeros = np.zeros(len(times), np.int64)
    logic.on_batch(Arrivals.after(None, Events.of(times)), zeros, [Input(zeros)])
    logic.forget()
    return logic.ends.tolist()


def test_a_window_is_forgotten_once_the_clock_is_more_than_eight_slides_past_its_end():
    assert [20, 30, 100] == kept(5, 15, 25, 99, 99)
    assert [30, 110] == kept(5, 15, 25, 101, 101)


def test_a_window_is_kept_four_times_as_long_as_an_event_has_needed():
    # The event at 16 came when the clock was 70 past the end of its window, so it needs 71 and 284 are kept.
    assert [20, 30, 100, 310] == kept(5, 15, 25, 90, 16, 304, 304)
    assert [30, 100, 310] == kept(5, 15, 25, 90, 16, 305, 305)
