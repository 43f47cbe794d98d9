"""What results would have been at every slack, against runs with these slacks."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.core.aggregate import WindowAggregate
from slackwater.core.algebra import Count, Max, Mean, Sum, Variance
from slackwater.core.arrivals import Arrivals
from slackwater.core.cells import Input
from slackwater.core.panes import Panes
from slackwater.core.result_steps import ResultSteps
from slackwater.events import Events
from slackwater.models.relative_error import is_within, relative_error

FUNCTIONS = (Count(), Sum(), Mean(), Max(), Variance())


def disordered(seed: int, rows: int = 300):
    random = np.random.default_rng(seed)
    delays = np.where(random.random(rows) < 0.6, 0, random.integers(0, 60, rows))
    arrival = np.sort(random.integers(0, rows, rows))  # some come together
    events = Events.of(np.arange(rows) - delays, arrival=arrival)
    values = Input(random.integers(-3, 9, rows), random.random(rows) < 0.9)
    return Arrivals.after(None, events), random.integers(0, 3, rows), [values] * len(FUNCTIONS)


def run_with(slack: int, panes: Panes, arrivals, group, inputs):
    logic = WindowAggregate(panes, FUNCTIONS).build()
    closed = [logic.on_batch(arrivals, group, inputs, slack=slack).windows, logic.on_end().windows]
    return {
        (int(window), int(code)): tuple(_shown(f, s, place) for f, s in zip(FUNCTIONS, cells.states, strict=True))
        for cells in closed
        if cells is not None
        for place, (window, code) in enumerate(zip(cells.place, cells.group, strict=True))
    }


def _shown(function, state, place):
    values, valid = function.lower(tuple(column[place : place + 1] for column in state))
    return float(values[0]) if valid is None or valid[0] else None


def error_of(mine, true) -> float:
    if mine is None or true is None:
        return 0.0 if mine is true else np.inf
    return float(relative_error(np.array([mine]), np.array([true]))[0])


@pytest.mark.parametrize("panes", [Panes(20, 20), Panes(20, 5), Panes(20, 7)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_constant_slack_keeps_as_many_results_as_the_steps_say(panes, seed):
    arrivals, group, inputs = disordered(seed)
    needs = ResultSteps.of_events(panes, FUNCTIONS, arrivals, group, inputs).needs(FUNCTIONS, 0.2)
    slacks, change = needs.changes()
    truth = run_with(10**6, panes, arrivals, group, inputs)
    for slack in (0, 1, 3, 10, 30, 59, 100):
        found = run_with(slack, panes, arrivals, group, inputs)
        errors = [max(map(error_of, found[key], values)) if key in found else np.inf for key, values in truth.items()]
        assert int(is_within(np.array(errors), 0.2).sum()) == int(change[slacks <= slack].sum())


def test_a_result_needs_the_slack_from_which_on_it_stays_within_the_bound():
    # mean: 10, then 10 and 30, then 10, 30 and -10: within at first, then not, then within again
    arrivals = Arrivals.after(None, Events.of([1, 12, 2, 15, 3]))
    inputs = [Input(np.array([10, 0, 30, 0, -10]))]
    steps = ResultSteps.of_events(Panes(10, 10), [Mean()], arrivals, np.zeros(5, np.int64), inputs)
    needs = steps.needs([Mean()], 0.1)
    assert [0, 3, 6] == steps.slack[:3].tolist()
    assert [True, False, True] == needs.within[:3].tolist()
    assert 6 == needs.slack[0]


def test_a_result_whose_rows_all_came_behind_its_end_needs_the_first_of_them():
    arrivals = Arrivals.after(None, Events.of([12, 3]))
    steps = ResultSteps.of_events(Panes(10, 10), [Count()], arrivals, np.zeros(2, np.int64), [Input(np.zeros(2))])
    assert {0: 3, 1: 0} == dict(zip(steps.window.tolist(), steps.needs([Count()], 0.1).slack.tolist(), strict=True))


def test_a_value_that_does_not_count_may_be_off():
    arrivals = Arrivals.after(None, Events.of([1, 12, 3]))
    inputs = [Input(np.array([5, 5, 5]))] * 2
    steps = ResultSteps.of_events(Panes(10, 10), [Count(), Max()], arrivals, np.zeros(3, np.int64), inputs)
    assert [0, 0] == steps.needs([None, Max()], 0.1).slack.tolist()


@pytest.mark.parametrize(("not_before", "windows"), [(10, [0, 1]), (11, [1])])
def test_an_event_counts_in_windows_that_do_not_end_before_a_time(not_before, windows):
    arrivals, inputs = Arrivals.after(None, Events.of([12, 3])), [Input(np.zeros(2))]
    steps = ResultSteps.of_events(
        Panes(10, 10), [Count()], arrivals, np.zeros(2, np.int64), inputs, not_before=np.array([0, not_before])
    )
    assert windows == steps.window.tolist()
