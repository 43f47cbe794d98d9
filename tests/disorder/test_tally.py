"""The tally against one event at a time, and however its input is cut."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.disorder import kernels
from slackwater.disorder.columns import Question, Reader
from slackwater.disorder.run import finished, profile_of, profile_table
from slackwater.disorder.slices import WIDTHS, width_for
from slackwater.disorder.tally import MOST_GAPS, Tally, packed, unpacked
from slackwater.estimate.kernels import MOST_BINS
from slackwater.estimate.needed_slack import bin_of
from tests.oracle.disorder import delays_of, gaps_of, own_delays_of, skews_of

ASKED = Question.of(event_time="ts", unit="us", max_ahead=None, arrival="seq", by="key", stream="key")
ROW = st.tuples(
    st.one_of(st.none(), st.integers(-50, 50), st.integers(0, 10**12), st.integers(0, 10**16)),
    st.booleans(),  # whether it arrives together with the row before
    st.sampled_from(["a", "b", "c", None]),
)
ROWS = st.lists(ROW, max_size=60)


def table_of(rows) -> pa.Table:
    steps = np.cumsum([not together for _, together, _ in rows], dtype=np.int64)
    times, keys = pa.array([row[0] for row in rows], pa.int64()), pa.array([row[2] for row in rows], pa.string())
    return pa.table({"ts": times, "seq": steps, "key": keys})


def usable(table: pa.Table) -> tuple[list[int], list[int], list[str | None]]:
    rows = [row for row in table.to_pylist() if row["ts"] is not None]
    return [row["ts"] for row in rows], [row["seq"] for row in rows], [row["key"] for row in rows]


def counts(delays: list[int]) -> list[int]:
    return np.trim_zeros(np.bincount(bin_of(np.array(delays, np.int64)), minlength=1), "b").tolist()


@settings(deadline=None)
@given(ROWS, st.lists(st.integers(1, 20), min_size=1, max_size=60))
def test_the_answer_does_not_depend_on_the_batches(rows, sizes):
    table, reader = table_of(rows), Reader(ASKED, present=0)
    at = 0
    while at < table.num_rows:
        size = sizes[at % len(sizes)]
        assert reader.on_batch("frame", table.slice(at, size))
        at += size
    assert profile_table(ASKED, table, present=0).to_dict() == finished(reader, "frame", present=0).to_dict()


@settings(deadline=None)
@given(ROWS)
def test_delays_are_those_of_one_event_at_a_time(rows):
    table = table_of(rows)
    found = profile_table(ASKED, table, present=0)
    times, arrivals, _ = usable(table)
    expected = delays_of(times, arrivals)
    assert counts(expected) == found.delays.counts.tolist()
    assert max(expected, default=0) == found.delays.largest
    assert (len(table) - len(times), len(times)) == (found.nulls, found.delays.events)


@settings(deadline=None)
@given(ROWS)
def test_parts_have_their_own_clocks_and_are_compared_with_all(rows):
    table = table_of(rows)
    found = {part.name: part for part in profile_table(ASKED, table, present=0).keys}
    times, arrivals, keys = usable(table)
    own, skews, all_delays = (
        own_delays_of(times, arrivals, keys),
        skews_of(times, arrivals, keys),
        delays_of(times, arrivals),
    )
    assert set(own) == set(found)
    for key, part in found.items():
        behind = [delay for delay, each in zip(all_delays, keys, strict=True) if each == key]
        for expected, delays in ((own[key], part.own), (behind, part.behind), (skews[key], part.skew)):
            assert counts(expected) == delays.counts.tolist()
            assert (max(expected), sum(map(bool, expected))) == (delays.largest, delays.out_of_order)


@settings(deadline=None)
@given(ROWS)
def test_gaps_are_the_longest_jumps_of_the_clock(rows):
    table = table_of(rows)
    times, arrivals, _ = usable(table)
    found = [(gap.start, gap.end) for gap in profile_table(ASKED, table, present=0).gaps]
    assert gaps_of(times, arrivals, MOST_GAPS) == found


@settings(deadline=None)
@given(ROWS)
def test_slices_add_up_to_all_and_are_as_narrow_as_they_may_be(rows):
    found = profile_table(ASKED, table_of(rows), present=0)
    total = sum((np.pad(each.delays.counts, (0, MOST_BINS - len(each.delays.counts))) for each in found.slices), 0)
    assert found.delays.events == np.sum(total)
    assert not found.slices or found.delays.counts.tolist() == np.trim_zeros(total, "b").tolist()
    if found.slices:
        first, last = found.slices[0].start, found.slices[-1].end - 1
        assert found.slices[0].end - first == WIDTHS[width_for(first, last, kernels.MOST_SLICES)]


@settings(deadline=None)
@given(ROWS, st.data())
def test_chunks_counted_from_the_clocks_before_them_add_up_to_the_whole(rows, data):
    """Chunks never cut a step, as on Spark."""
    table = table_of(rows)
    cut = data.draw(st.integers(0, int(table["seq"][-1].as_py()) if rows else 0))
    parts = [
        table.filter(pa.compute.less_equal(table["seq"], cut)),
        table.filter(pa.compute.greater(table["seq"], cut)),
    ]
    names, total, readers = Reader(ASKED, present=0).names, Tally(ASKED.kinds), []
    for part in parts:
        clocks = {kind: readers[-1].tally.parts[kind].numbers[:, kernels.P_CLOCK] for kind in ASKED.kinds if readers}
        before = Tally(ASKED.kinds, clock=readers[-1].tally.clock if readers else None, part_clocks=clocks)
        readers.append(Reader(ASKED, present=0, names=names, tally=before))
        readers[-1].on_batch("frame", part)
    for reader in readers:
        total.merge(unpacked(packed(reader.tally), ASKED.kinds))
    whole = profile_table(ASKED, table, present=0)
    known = {kind: each.known for kind, each in names.items()}
    assert whole.to_dict() == profile_of(whole.subject, total, known, present=0).to_dict()


def test_widths_are_multiples_of_the_one_before_and_reach_over_all_time():
    assert not (WIDTHS[1:] % WIDTHS[:-1]).any()
    assert WIDTHS[-1] * kernels.MOST_SLICES > 10_000 * 366 * 86_400_000_000


def test_the_state_does_not_grow_with_the_rows():
    few, many = Tally(), Tally()
    few.on_batch(np.arange(10), usable=None)
    many.on_batch(np.arange(0, 10**13, 10**8), usable=None)
    assert [few.slices.nbytes, few.gaps.nbytes] == [many.slices.nbytes, many.gaps.nbytes]


def test_rows_of_parts_past_the_most_that_are_followed_are_only_counted(monkeypatch):
    monkeypatch.setattr("slackwater.disorder.parts.MOST_HISTOGRAMS", 1)
    reader = Reader(ASKED, present=0)
    for names in reader.names.values():
        names._most = 2
    reader.on_batch("frame", pa.table({"ts": [5, 4, 3, 2], "seq": [1, 2, 3, 4], "key": ["a", "b", "c", "d"]}))
    found = finished(reader, "frame", present=0)
    assert {"a": [1], "b": None} == {
        part.name: part.behind.counts if part.behind.counts is None else part.behind.counts.tolist()
        for part in found.keys
    }
    assert 2 == found.other_key_rows
