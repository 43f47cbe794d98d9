"""Pipelines stop when what must hold does not: each is broken on purpose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import slackwater as sw
from slackwater.core.late import LatePolicy
from slackwater.core.late_ahead import LateAhead
from slackwater.core.merge import MergeLogic
from slackwater.errors import InvariantError
from slackwater.pipeline.invariants import check_clock, check_order, check_still_closed
from slackwater.testing.scripted import Scripted


def stream(*times: int) -> sw.Stream:
    return sw.stream(pa.table({"ts": pa.array(times, pa.int64())}), name="bus", event_time="ts", unit="s")


def test_a_reorder_that_passes_events_on_out_of_order_stops(monkeypatch):
    def reversed_route(self, *given, **named):
        routed = route(self, *given, **named)
        return replace(routed, released=routed.released[::-1])

    route = LatePolicy.route
    monkeypatch.setattr(LatePolicy, "route", reversed_route)
    with pytest.raises(InvariantError, match="the event time of results of bus is 1000000 us, expected 2000000 us"):
        _ = sw.reorder(stream(1, 2), contract=sw.NoSlack()).results


def test_a_merge_that_takes_late_events_for_ordered_ones_stops(monkeypatch):
    def careless(self, events, **how):
        done = on_batch(self, events, **how)
        return replace(done, in_order=np.ones(len(events), np.bool_))

    on_batch = MergeLogic.on_batch
    monkeypatch.setattr(MergeLogic, "on_batch", careless)
    rows = {"bus": {"ts": [2, 1, 9], "seq": [0, 2, 3]}, "tram": {"ts": [9], "seq": [1]}}
    bus, tram = (sw.stream(pa.table(t), name=n, event_time="ts", unit="s", arrival="seq") for n, t in rows.items())
    with pytest.raises(InvariantError, match="the event time of what left the merge is 1000000 us, expected 2000000"):
        _ = sw.merge(bus, tram, contract=sw.NoSlack()).results


def test_a_reorder_whose_controller_was_told_of_other_departures_stops(monkeypatch):
    def hopeful(self, *given):
        released, late = on_part(self, *given)
        return released + min(late, 1), late - min(late, 1)

    on_part = LateAhead.on_part
    monkeypatch.setattr(LateAhead, "on_part", hopeful)
    contract = sw.DropRatio(0.5, over="5 seconds", controller=Scripted(("0 seconds",)))
    what = "what left the buffer is 2 released, 1 late and 0 buffered of 3, expected 3 released, 0 late and 0 buffered"
    with pytest.raises(InvariantError, match=what):
        _ = sw.reorder(stream(1, 3, 2), contract=contract).results


def test_equal_times_are_in_order():
    check_order(np.array([5, 5, 6]), 5, what="results")


@pytest.mark.parametrize(("times", "since"), [([5], 6), ([5, 4], None), ([7, 8, 7], 7)])
def test_a_time_that_falls_is_named(times, since):
    with pytest.raises(InvariantError, match="the event time of results is"):
        check_order(np.array(times), since, what="results")


@pytest.mark.parametrize("now", [None, 8])
def test_a_clock_that_goes_back_or_is_forgotten_is_named(now):
    with pytest.raises(InvariantError, match=r"the clock of bus is .*, expected 9 us or later"):
        check_clock(now, 9, what="the clock of bus")


def test_a_window_that_ends_where_windows_are_closed_was_closed_before():
    check_still_closed(np.array([11, 20]), 10, what="bus")
    with pytest.raises(InvariantError, match="the end of a final window of bus is 10 us, expected 11 us or later"):
        check_still_closed(np.array([20, 10]), 10, what="bus")
