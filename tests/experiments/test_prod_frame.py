from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from slackwater.core.gate_threads import ThreadGate
from slackwater.core.panes import Panes
from slackwater.experiments.early_accuracy import EarlyCase, panes_of, stream_of
from slackwater.experiments.frame.prod import RAW, latencies, linear
from slackwater.experiments.frame.prod_delayed import Delayed
from slackwater.experiments.frame.rows import Rows
from slackwater.experiments.prod_rows import VALUES, early_and_final, with_prods
from slackwater.experiments.prodded import NAMES, run_prodded
from slackwater.experiments.reading import WRITERS, LockedKSlack, reading_time
from slackwater.sources.dataset import event_times_of

SECOND = 1_000_000


def accuracies(*values):
    degrees = (0.1, 0.3, 0.5)
    return Rows(
        [
            {"function": "sum", "policy": RAW, "aggressiveness": degree, "accuracy": value}
            for degree, value in zip(degrees, values, strict=True)
        ]
    )


def test_a_latency_is_counted_from_the_first_event_of_the_window_to_the_one_that_ends_it():
    times, arrived = np.array([0, 4, 10, 13]) * SECOND, np.array([1, 5, 12, 13]) * SECOND
    found = latencies(np.array([0]), times, arrived, Panes(10 * SECOND, 10 * SECOND), lambda ends: ends - 3 * SECOND)
    assert ([6.0], [11.0]) == (found.early.tolist(), found.final.tolist())


def test_a_delayed_stream_is_delivered_in_order():
    moment = pa.timestamp("us", tz="UTC")
    table = pa.table(
        {
            "event_time": pa.array([2, 1, 3], moment),
            "arrival_time": pa.array([4, 9, 10], moment),
            "value": [20, 10, 30],
        }
    )
    made = Delayed.of(table, "value")
    assert ([1, 2, 3], [9, 9, 10], [10, 20, 30]) == (made.times.tolist(), made.arrived.tolist(), made.values.tolist())


def test_a_fall_on_a_line_is_linear_and_one_that_bends_is_not():
    check = linear("accuracy", ("sum",), falls=True)
    assert check(accuracies(0.9, 0.8, 0.7)).agrees
    assert not check(accuracies(0.9, 0.9, 0.7)).agrees


def test_a_rise_is_no_linear_fall():
    assert not linear("accuracy", ("sum",), falls=True)(accuracies(0.7, 0.8, 0.9)).agrees


@pytest.mark.parametrize("make", [LockedKSlack, lambda readers: ThreadGate(writers=WRITERS, readers=readers)])
def test_readers_of_either_structure_get_all_events(make):
    assert reading_time(make(2), 2, 300) > 0  # returns only when every reader has got every event


def test_prods_that_are_rows_show_what_the_operator_alone_shows():
    case = EarlyCase(aggressiveness=0.3)
    stream, panes = stream_of(case, duration="120 seconds"), panes_of(case)
    times, values = event_times_of(stream), stream["value"].to_numpy().astype(np.float64)
    alone = run_prodded(times, values, panes, aggressiveness=0.3, before=SECOND)
    rows = with_prods(times, values, panes, 4 * SECOND)
    shown = early_and_final(rows, panes, estimate="raw")
    assert alone.window.tolist() == shown.window.tolist()
    for name, early, final in zip(VALUES, shown.early, shown.final, strict=True):
        number = NAMES.index(name)
        assert (alone.raw[number].tolist(), alone.final[number].tolist()) == (early.tolist(), final.tolist())


def test_a_prod_by_arrivals_comes_before_what_arrives_then():
    times, arrived = np.array([0, 4, 9, 12]) * SECOND, np.array([0, 8, 9, 13]) * SECOND
    rows = with_prods(times, np.ones(4), Panes(10 * SECOND, 10 * SECOND), 3 * SECOND, arrived)
    assert ["event"] * 4 == rows["marker"].to_pylist()  # the first whole window begins after the first event
    rows = with_prods(times + 10 * SECOND, np.ones(4), Panes(5 * SECOND, 5 * SECOND), 2 * SECOND, arrived + 10 * SECOND)
    assert ["event", "prod", "event", "event", "event"] == rows["marker"].to_pylist()
