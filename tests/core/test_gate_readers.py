"""A gate with several writers and readers: SSG17's examples, its theorem and its properties, against its algorithms."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from slackwater.core.gate_readers import Read, ReaderState, SharedGate, SharedGateLogic
from slackwater.errors import GateFullError, ParameterError
from slackwater.events import Tagged
from tests.oracle.gate import Event, SlackScaleGate

WRITERS, READERS = 3, 2
INSERT = st.tuples(st.just("insert"), st.integers(0, WRITERS - 1), st.lists(st.integers(0, 4), min_size=1, max_size=3))
GET = st.tuples(st.just("get"), st.integers(0, READERS - 1), st.sampled_from([None, 1, 2]))
SET = st.tuples(st.just("set"), st.integers(0, 9), st.none())
HISTORY = st.lists(st.one_of(INSERT, INSERT, GET), max_size=40)
property_test = settings(max_examples=120, deadline=None)


class Both:
    """A gate and its oracle under the same history; the times of each writer grow, unless it is `unsorted`."""

    def __init__(self, limit: int, *, unsorted: bool = False) -> None:
        self.gate: SharedGateLogic = SharedGate(WRITERS, READERS, limit).build()
        self.oracle = SlackScaleGate(WRITERS, READERS, limit)
        self.unsorted = unsorted
        self.inserted = 0
        self.clock = [0] * WRITERS
        self.read: list[list[tuple[int, bool, bool]]] = [[] for _ in range(READERS)]
        self.names: list[tuple[int, int]] = []  # of each event: its writer, and how many of that came before

    def insert(self, writer: int, gaps) -> None:
        times = [4 * self.inserted % 11 + gap if self.unsorted else gap for gap in gaps]
        times = times if self.unsorted else (self.clock[writer] + np.cumsum(times)).tolist()
        self.clock[writer] = times[-1]
        self.gate.insert(writer, np.array(times, np.int64))
        for time in times:
            self.oracle.insert(Event(time, writer, self.inserted))
            self.names.append((writer, sum(other == writer for other, _ in self.names)))
            self.inserted += 1

    def get(self, reader: int, most) -> None:
        got = triples(self.gate.get(reader, most))
        wanted = islice(iter(lambda: self.oracle.get(reader), None), most)
        expected = [(each.event.index, each.ready, each.late) for each in wanted]
        assert expected == got
        self.read[reader] += got

    def set(self, limit: int, _) -> None:
        self.gate.set_slack(limit)
        self.oracle.limit = limit

    def run(self, history) -> Both:
        for what, who, value in history:
            getattr(self, what)(who, value)
        return self


def triples(read: Read) -> list[tuple[int, bool, bool]]:
    return list(zip(read.events.row.tolist(), read.ready.tolist(), read.late.tolist(), strict=True))


def times_of(read: Read) -> list[int]:
    return read.events.time.tolist()


@property_test
@given(st.lists(st.one_of(INSERT, INSERT, GET, SET), max_size=40), st.integers(0, 9), st.booleans())
def test_any_history_equals_the_algorithms_of_the_document(history, limit, unsorted):
    both = Both(limit, unsorted=unsorted).run(history)
    for reader in range(READERS):
        both.get(reader, None)


@property_test
@given(HISTORY, st.integers(0, 9))
def test_no_reader_gets_an_event_twice_and_none_misses_one(history, limit):
    both = Both(limit).run(history)
    both.gate.set_slack(0)
    both.gate.insert(0, np.array([10_000]))
    for reader in range(READERS):
        rows = [row for row, _, _ in both.read[reader]] + both.gate.get(reader).events.row.tolist()
        assert list(range(both.inserted)) == sorted(row for row in rows if row < both.inserted)


@property_test
@given(HISTORY, st.integers(0, 30))
def test_property_1_a_compatible_history_has_no_slack_ready_event(history, limit):
    both = Both(limit).run([("insert", writer, [0]) for writer in range(WRITERS)])
    for step in history:
        assume(both.run([step]).oracle.spread <= limit)
    assert all(ready and not late for read in both.read for _, ready, late in read)


@property_test
@given(HISTORY, st.integers(0, 9))
def test_property_2_a_late_event_follows_a_slack_ready_one(history, limit):
    for read in Both(limit).run(history).read:
        for position, (_, _, late) in enumerate(read):
            assert not late or any(not ready and not behind for _, ready, behind in read[:position])


@property_test
@given(HISTORY, st.integers(0, 9))
def test_property_3_a_late_event_is_at_least_slack_ready(history, limit):
    both = Both(limit)
    for what, who, value in history:
        if what == "get":
            fastest, queue = max(both.oracle.newest), both.oracle.queues[who]
            assert all(fastest - event.time > limit for event in queue)
        both.run([(what, who, value)])


@st.composite
def after_disorder(draw):
    """A history that may be incompatible, then two interleavings of the same inserts of one event per writer each."""
    history = draw(HISTORY)
    gaps = draw(st.lists(st.tuples(*[st.integers(0, 2)] * WRITERS), min_size=1, max_size=5))
    orders = [[draw(st.permutations(range(WRITERS))) for _ in gaps] for _ in range(2)]
    return history, gaps, orders


@property_test
@given(after_disorder(), st.integers(0, 9))
def test_theorem_5_3_after_disorder_a_compatible_history_is_deterministic_again(case, limit):
    history, gaps, orders = case
    outputs = []
    for order in orders:
        both = Both(limit).run(history)
        start = max(both.clock)
        both.run([("insert", writer, [start - both.clock[writer]]) for writer in range(WRITERS)])  # level again
        both.run([("get", reader, None) for reader in range(READERS)])  # the queues become empty
        before = [len(read) for read in both.read]
        both.set(max(limit, 2), None)
        for each, turn in zip(gaps, order, strict=True):
            for writer in turn:
                both.run([("insert", writer, [each[writer] - min(each)]), ("get", 0, None), ("get", 1, None)])
            both.run([("insert", w, [max(both.clock) - both.clock[w]]) for w in range(WRITERS)])
            both.run([("get", reader, None) for reader in range(READERS)])
        after = [read[count:] for read, count in zip(both.read, before, strict=True)]
        assert all(ready and not late for read in after for _, ready, late in read)
        outputs.append([[both.names[row] for row, _, _ in read] for read in after])
    assert outputs[0] == outputs[1]


def test_e31_the_read_requests_of_figure_6():
    gate = SharedGate(writers=2, readers=1, limit=30).build()
    read = []
    for request in [(0, 10), (1, 20), None, (0, 55), None, (0, 90), None, (1, 40), None, (1, 95), None, None, None]:
        if request is None:
            got = gate.get(0, most=1)
            read += zip(times_of(got), got.ready.tolist(), strict=True)
        else:
            gate.insert(request[0], np.array([request[1]]))
    assert [(10, True), (20, True), (55, False), (40, True), (90, True)] == read


def test_e32_each_reader_reads_at_its_own_pace():
    gate = SharedGate(writers=2, readers=2, limit=10).build()
    gate.insert(0, np.array([10, 20, 50]))
    assert [[10, 20], []] == [times_of(gate.get(0)) for _ in range(2)]
    gate.insert(1, np.array([15]))
    assert [[15], []] == [times_of(gate.get(0)) for _ in range(2)]
    assert [[10, 15, 20], []] == [times_of(gate.get(1)) for _ in range(2)]


@property_test
@given(HISTORY, HISTORY, st.integers(0, 9))
def test_a_gate_goes_on_from_its_snapshot(before, after, limit):
    both = Both(limit).run(before)
    both.gate = SharedGate(WRITERS, READERS, limit).build(both.gate.snapshot())
    both.run(after)


def test_a_reader_that_stops_reading_is_named_before_memory_runs_out():
    gate = SharedGate(writers=1, readers=2, most_unread=10).build()
    for start in range(0, 10, 5):
        gate.insert(0, np.arange(start, start + 5))
        gate.get(0)
    with pytest.raises(GateFullError, match=r"reader 1 would have 11 unread events, at most 10 .* close_reader\(1\)"):
        gate.insert(0, np.array([10]))
    gate.close_reader(1)
    gate.insert(0, np.array([10]))
    assert [10] == times_of(gate.get(0))


def test_what_all_have_read_is_forgotten():
    gate = SharedGate(writers=1, readers=2).build()
    for start in range(0, 100, 10):
        gate.insert(0, np.arange(start, start + 10))
        gate.get(0), gate.get(1)
    assert 0 == len(gate.snapshot().kept)


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda gate: gate.insert(2, np.array([1])), "writer must be a number from 0 to 1, got 2"),
        (lambda gate: gate.get(1), "reader must be a number from 0 to 0, got 1"),
        (lambda gate: SharedGate(writers=128, readers=1), "writers must be <= 127, got 128"),
        (lambda gate: SharedGate(writers=0, readers=1), "writers must be >= 1, got 0"),
        (lambda gate: gate.set_slack(-1), "limit must be >= 0, got -1"),
        (lambda gate: (gate.close_reader(0), gate.get(0)), "reader must be open, got 0"),
    ],
)
def test_what_cannot_work_is_refused(work, message):
    with pytest.raises(ParameterError, match=message):
        work(SharedGate(writers=2, readers=1).build())


def test_there_may_be_as_many_writers_as_fit_a_byte():
    assert 127 == SharedGate(writers=127, readers=1).writers


def test_what_came_behind_a_reader_is_unread_too():
    behind = Tagged.of([(0, 1), (0, 2), (1, 2)])
    assert 5 - 2 + 3 == ReaderState(position=2, queue=behind).unread(5)


def test_a_reader_that_is_closed_has_nothing_left_to_read():
    assert (5, 0) == (ReaderState().unread(5), ReaderState(is_open=False).unread(5))


def test_a_reader_may_have_as_many_unread_events_as_are_allowed():
    gate = SharedGate(writers=1, readers=2, most_unread=4).build()
    gate.insert(0, np.arange(4))
    for reader in range(2):
        gate.get(reader, 1)
    gate.insert(0, np.array([4]))  # five are kept, of which each has read one
    assert [4, 4] == [gate.unread(reader) for reader in range(2)]
    with pytest.raises(GateFullError, match="reader 0 would have 5"):
        gate.insert(0, np.array([5]))
