"""The gate for threads: the document's examples, its algorithms one call at a time, and many threads at once."""

from __future__ import annotations

import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.gate_threads import ThreadGate
from slackwater.errors import GateFullError, ParameterError
from tests.oracle.gate import Event, SlackScaleGate

WRITERS, READERS = 3, 2
INSERT = st.tuples(st.just("insert"), st.integers(0, WRITERS - 1), st.integers(0, 4))
GET = st.tuples(st.just("get"), st.integers(0, READERS - 1), st.just(0))
SET = st.tuples(st.just("set"), st.just(0), st.integers(0, 9))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(INSERT, INSERT, GET, SET), max_size=60), st.integers(0, 9))
def test_one_call_at_a_time_equals_the_algorithms_of_the_document(history, limit):
    gate, oracle = ThreadGate(writers=WRITERS, readers=READERS, limit=limit), SlackScaleGate(WRITERS, READERS, limit)
    clock = [0] * WRITERS
    for index, (what, who, value) in enumerate(history):
        if what == "insert":
            clock[who] += value
            gate.insert(index, clock[who], writer=who)
            oracle.insert(Event(clock[who], who, index))
        elif what == "set":
            gate.set_slack(value)
            oracle.limit = value
        else:
            got, expected = gate.get(reader=who), oracle.get(who)
            assert (expected and (expected.event.index, *expected[1:])) == (got and (got.event, got.ready, got.late))


def test_e31_the_read_requests_of_figure_6():
    gate = ThreadGate(writers=2, readers=1, limit=30)
    read = []
    for request in [(0, 10), (1, 20), None, (0, 55), None, (0, 90), None, (1, 40), None, (1, 95), None, None, None]:
        if request is None:
            got = gate.get(reader=0)
            read += [] if got is None else [(got.time, got.ready)]
        else:
            gate.insert("event", request[1], writer=request[0])
    assert [(10, True), (20, True), (55, False), (40, True), (90, True)] == read


def test_e32_each_reader_reads_at_its_own_pace():
    gate = ThreadGate(writers=2, readers=2, limit=10)
    for time in (10, 20, 50):
        gate.insert("event", time, writer=0)
    assert [10, 20, None] == [got and got.time for got in (gate.get(reader=0) for _ in range(3))]
    gate.insert("event", 15, writer=1)
    assert [15, None] == [got and got.time for got in (gate.get(reader=0) for _ in range(2))]
    assert [10, 15, 20, None] == [got and got.time for got in (gate.get(reader=1) for _ in range(4))]


def test_a_clock_that_steps_back_makes_its_event_late():
    gate = ThreadGate(writers=1, readers=1)
    for time in (5, 3, 6):
        gate.insert("event", time, writer=0)
    got = [gate.get(reader=0) for _ in range(3)]
    assert [(5, False), (3, True), (6, False)] == [(each.time, each.late) for each in got]


def test_a_reader_that_stops_reading_is_named_before_memory_runs_out():
    gate = ThreadGate(writers=1, readers=2, most_unread=1_000)

    def fill() -> None:
        for time in range(5_000):
            gate.insert(time, time, writer=0)
            gate.get(reader=0)

    with pytest.raises(GateFullError, match=r"reader 1 would have .* at most 1000 are kept; .* close_reader\(1\)"):
        fill()
    gate.close_reader(1)
    gate.insert(5_000, 5_000, writer=0)
    assert (0, 0) == (gate.unread(1), gate.unread(0) - 1)


def test_a_closed_reader_cannot_read():
    gate = ThreadGate(writers=1, readers=1)
    gate.close_reader(0)
    with pytest.raises(ParameterError, match="reader must be open"):
        gate.get(reader=0)


def run_threads(*works) -> None:
    """Run all at once, switching often; an error in any of them is raised here."""
    errors, interval, together = [], sys.getswitchinterval(), threading.Barrier(len(works))

    def guarded(work) -> None:
        try:
            together.wait(30)
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(interval)
    assert [] == errors
    assert not any(thread.is_alive() for thread in threads)


def writing(gate, writer, count, *, end):
    """Insert events whose names say where they came from; the last lets all others become ready."""

    def work() -> None:
        for number in range(count):
            gate.insert((writer, number), (number * 7 + writer) // 3, writer=writer)
        gate.insert(None, end, writer=writer)

    return work


def until_last(gate, reader, got, *, total):
    """Read as many events as there are; what says that a writer has ended is not one."""

    def work() -> None:
        while len(got[reader]) < total:
            found = gate.get(reader=reader)
            if found is not None and found.event is not None:
                got[reader].append(found)

    return work


@pytest.mark.parametrize(("writers", "readers"), [(1, 1), (4, 4), (8, 3)])
def test_many_threads_read_the_same_order_as_one(writers, readers):
    count, end = 20_000 // writers, 10**9
    gate = ThreadGate(writers=writers, readers=readers)
    got = [[] for _ in range(readers)]
    run_threads(
        *(writing(gate, writer, count, end=end) for writer in range(writers)),
        *(until_last(gate, reader, got, total=writers * count) for reader in range(readers)),
    )
    expected = sorted(((n * 7 + w) // 3, w, n) for w in range(writers) for n in range(count))
    for own in got:
        assert expected == [(each.time, *each.event) for each in own]
        assert all(each.ready and not each.late for each in own)


def test_under_a_limit_that_changes_no_reader_misses_or_repeats_an_event():
    writers, readers, count = 4, 4, 5_000
    gate = ThreadGate(writers=writers, readers=readers, limit=5)
    got = [[] for _ in range(readers)]

    def tuning() -> None:
        for number in range(2_000):
            gate.set_slack(number % 50)

    run_threads(
        tuning,
        *(writing(gate, writer, count, end=10**9) for writer in range(writers)),
        *(until_last(gate, reader, got, total=writers * count) for reader in range(readers)),
    )
    expected = sorted((w, n) for w in range(writers) for n in range(count))
    for own in got:
        assert expected == sorted(each.event for each in own)
        in_order = [(each.time, each.writer) for each in own if not each.late]
        assert sorted(in_order) == in_order
