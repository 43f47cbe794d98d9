"""The K-slack with a clock per key against one tuple-at-a-time oracle per key, and its edges."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.heaps import ROW
from slackwater.core.keyed import KeyedKSlack
from slackwater.core.keyed_buffer import KeyedBuffer
from slackwater.core.keyed_kernels import HELD
from slackwater.events import Events
from tests.oracle.reorder import OracleKSlack

KEYS = 3


class OracleByKey:
    """One K-slack per key; steps are told only to the keys that have events in them."""

    def __init__(self, release):
        self.release = release
        self.by_key = defaultdict(lambda: OracleKSlack(release=release))
        self.released, self.late = [], []  # by (step, time); at equal times the key that came first is first

    def on_step(self, events, slack):
        keys = list(dict.fromkeys(row % KEYS for _, _, row in events))
        for key in keys:
            self.by_key[key].on_step([event for event in events if event[2] % KEYS == key], slack)
        self._collect([self.by_key[key] for key in keys])

    def on_end(self):
        for oracle in self.by_key.values():
            oracle.on_end()
        self._collect(self.by_key.values())

    def _collect(self, oracles):
        for kind in ("released", "late"):
            new = [event for oracle in oracles for event in getattr(oracle, kind)]
            getattr(self, kind).extend(sorted(new, key=lambda event: event[0]))
            for oracle in oracles:
                getattr(oracle, kind).clear()


@st.composite
def _runs(draw):
    """Batches of steps of event times, with one slack for each step; a key may be far behind the others."""
    batches = draw(st.lists(st.lists(st.lists(st.integers(-5, 40), min_size=1, max_size=4), max_size=12), max_size=6))
    steps = sum(map(len, batches))
    slack = draw(
        st.one_of(
            st.integers(0, 12).map(lambda one: [one] * steps),
            st.lists(st.integers(0, 12), min_size=steps, max_size=steps),
        )
    )
    return batches, slack, draw(st.sampled_from(["arrival", "clock"])), draw(st.sampled_from([0, 3, 1_000]))


def pairs(events):
    return list(zip(events.time.tolist(), events.row.tolist(), strict=True))


@settings(max_examples=300, deadline=None)
@given(_runs())
def test_any_batches_steps_and_slacks_equal_one_oracle_per_key(run):
    batches, slacks, release, behind = run
    oracle, buffer = OracleByKey(release), KeyedBuffer(key_of=lambda rows: rows % KEYS)
    logic = KeyedKSlack(release).build(buffer)
    released, late, step_number, row = [], [], 0, 0
    for batch in batches:
        events, trace, before = [], [], (len(released), len(late))
        slack = slacks[step_number : step_number + len(batch)]
        for step in batch:
            new = [(t - behind * ((row + i) % KEYS), step_number, row + i) for i, t in enumerate(step)]
            oracle.on_step(new, slacks[step_number])
            trace.append((len(oracle.released), len(oracle.late)))
            events += new
            row, step_number = row + len(step), step_number + 1
        columns = Events(*np.array(events, np.int64).reshape(-1, 3).T.copy())
        out = logic.on_batch(logic.arrive(columns), np.array(slack, np.int64) if slack else 0)
        released += pairs(out.in_order)
        late += [(*pair, behind) for pair, behind in zip(pairs(out.late), out.late_behind.tolist(), strict=True)]
        steps = np.arange(len(batch))
        assert [r - before[0] for r, _ in trace] == out.released_by(steps).tolist()
        assert [x - before[1] for _, x in trace] == out.late_by(steps).tolist()
        assert sum(len(one.heap) for one in oracle.by_key.values()) == logic.buffered
    assert oracle.released == released
    oracle.on_end()
    out = logic.on_end()
    assert (len(out.in_order), len(out.late)) == (int(out.released_by(np.array(0))), int(out.late_by(np.array(0))))
    released += pairs(out.in_order)
    late += [(*pair, behind) for pair, behind in zip(pairs(out.late), out.late_behind.tolist(), strict=True)]
    assert sorted(oracle.released) == sorted(released)
    assert sorted(oracle.late) == sorted(late)
    assert 0 == logic.buffered == (buffer.nodes[:, ROW] >= 0).sum() == buffer.keys[:, HELD].sum()


def build(keys=2):
    return KeyedKSlack().build(KeyedBuffer(key_of=lambda rows: rows % keys))


def test_delays_are_measured_against_the_clock_of_the_key():
    assert [0, 0, 0, 0, 1, 1] == build().arrive(Events.of([100, 1, 103, 3, 102, 2])).delay.tolist()


def test_events_that_arrive_together_are_measured_against_the_clock_before_them():
    assert [0, 0, 0] == build(1).arrive(Events.of([5, 1, 3], arrival=[0, 0, 0])).delay.tolist()


def test_decisions_fall_due_by_the_clock_over_all_keys():
    assert [100, 100, 103] == build().arrive(Events.of([100, 1, 103])).clock.tolist()


def test_a_key_that_is_far_behind_loses_nothing():
    logic = build()
    out = logic.on_batch(logic.arrive(Events.of([1_000, 1, 1_001, 2, 1_002, 3])), 1)
    assert ([1_000, 1, 1_001, 2], 0) == (out.in_order.time.tolist(), len(out.late))


def test_a_key_releases_only_when_one_of_its_own_events_comes():
    logic = build()
    logic.on_batch(logic.arrive(Events.of([5, 5])), 10)
    even = Events(np.array([6]), np.array([2]), np.array([2]))
    assert [5, 6] == logic.on_batch(logic.arrive(even), 0).in_order.time.tolist()


def test_quiet_keys_leave_by_themselves():
    logic = build()
    logic.on_batch(logic.arrive(Events.of([5, 6, 7, 8])), 10)
    out = logic.on_quiet(np.array([False, True]))
    assert ([6, 8], 2) == (out.in_order.time.tolist(), logic.buffered)


def test_what_a_quiet_key_passed_on_makes_earlier_events_late():
    logic = build(1)
    logic.on_batch(logic.arrive(Events.of([5])), 10)
    logic.on_quiet(np.array([True]))
    late = Events(np.array([4]), np.array([1]), np.array([1]))
    assert [5] == logic.on_batch(logic.arrive(late), 0).late_behind.tolist()


def test_nodes_are_used_again():
    buffer = KeyedBuffer(key_of=lambda rows: rows % 7)
    logic = KeyedKSlack().build(buffer)
    for number in range(50):
        position = np.arange(number * 100, number * 100 + 100)
        logic.on_batch(logic.arrive(Events(position.copy(), position, position)), 30)
    assert len(buffer.nodes) <= 400


def test_the_input_columns_are_not_changed():
    events = Events.of([5, 1, 4, 9])
    before = events.time.copy()
    logic = build()
    logic.on_batch(logic.arrive(events), 1)
    assert (before == events.time).all()
