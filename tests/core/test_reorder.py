"""The columnar K-slack against the tuple-at-a-time oracle, and its edges."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.buffer import MemoryBuffer
from slackwater.core.reorder import KSlack
from slackwater.events import Events
from tests.oracle.reorder import OracleKSlack


@st.composite
def _runs(draw):
    """Batches of steps of event times, with one slack for each step."""
    batches = draw(st.lists(st.lists(st.lists(st.integers(-5, 40), min_size=1, max_size=3), max_size=12), max_size=6))
    steps = sum(len(batch) for batch in batches)
    kind = draw(st.sampled_from(["constant", "rising", "any"]))
    if kind == "constant":
        slack = [draw(st.integers(0, 12))] * steps
    else:
        slack = draw(st.lists(st.integers(0, 12), min_size=steps, max_size=steps))
        slack = sorted(slack) if kind == "rising" else slack
    return batches, slack, draw(st.sampled_from(["arrival", "clock"]))


@settings(max_examples=400, deadline=None)
@given(_runs())
def test_any_batches_steps_and_slacks_equal_the_oracle(run):
    batches, slacks, release = run
    oracle = OracleKSlack(release=release)
    logic = KSlack(release=release).build(MemoryBuffer())
    released, late = [], []
    step_number = row = 0
    for batch in batches:
        time, arrival, first_row = [], [], row
        trace, before = [], (len(released), len(late))
        slack = slacks[step_number : step_number + len(batch)]
        for step in batch:
            events = [(t, step_number, row + i) for i, t in enumerate(step)]
            oracle.on_step(events, slacks[step_number])
            trace.append((len(oracle.released), len(oracle.late)))
            time += step
            arrival += [step_number] * len(step)
            row += len(step)
            step_number += 1
        events = Events(
            np.array(time, np.int64), np.array(arrival, np.int64), np.arange(first_row, row, dtype=np.int64)
        )
        out = logic.on_batch(logic.arrive(events), np.array(slack, np.int64) if slack else 0)
        released += zip(out.in_order.time.tolist(), out.in_order.row.tolist(), strict=True)
        late += zip(out.late.time.tolist(), out.late.row.tolist(), out.late_behind.tolist(), strict=True)
        steps = np.arange(len(batch))
        assert [r - before[0] for r, _ in trace] == out.released_by(steps).tolist()
        assert [x - before[1] for _, x in trace] == out.late_by(steps).tolist()
        assert len(oracle.heap) == logic.buffered
    oracle.on_end()
    out = logic.on_end()
    released += zip(out.in_order.time.tolist(), out.in_order.row.tolist(), strict=True)
    late += zip(out.late.time.tolist(), out.late.row.tolist(), out.late_behind.tolist(), strict=True)
    assert oracle.released == released
    assert oracle.late == late


def test_restoring_after_every_prefix_gives_the_same_remaining_output():
    times = [2, 3, 1, 4, 6, 5, 7, 8, 3, 12]
    for cut in range(len(times) + 1):
        whole, parts = [], []
        logic = KSlack().build(MemoryBuffer())
        whole += logic.on_batch(logic.arrive(Events.of(times)), 2).in_order.time.tolist()
        whole += logic.on_end().in_order.time.tolist()

        buffer = MemoryBuffer()
        first = KSlack().build(buffer)
        events = Events.of(times)
        parts += first.on_batch(first.arrive(events[:cut]), 2).in_order.time.tolist()
        second = KSlack().build(MemoryBuffer(buffer.snapshot()), first.snapshot())
        parts += second.on_batch(second.arrive(events[cut:]), 2).in_order.time.tolist()
        parts += second.on_end().in_order.time.tolist()
        assert whole == parts


def test_a_delay_equal_to_the_slack_is_in_time():
    logic = KSlack().build(MemoryBuffer())
    out = logic.on_batch(logic.arrive(Events.of([10, 8, 7])), 2)
    assert ([8], [7]) == (out.in_order.time.tolist(), out.late.time.tolist())


def test_lowering_the_slack_releases_at_the_next_arrival_only():
    logic = KSlack().build(MemoryBuffer())
    assert [] == logic.on_batch(logic.arrive(Events.of([10, 9])), 5).in_order.time.tolist()
    assert [] == logic.on_batch(logic.arrive(Events.none()), 0).in_order.time.tolist()
    assert [8, 9, 10] == logic.on_batch(logic.arrive(Events.of([8])), 0).in_order.time.tolist()


def test_the_input_columns_are_not_changed():
    events = Events.of([5, 1, 4, 9])
    before = events.time.copy()
    logic = KSlack().build(MemoryBuffer())
    logic.on_batch(logic.arrive(events), 1)
    assert (before == events.time).all()
