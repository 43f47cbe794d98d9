"""Counts the delays of a stream batch by batch, in bounded memory; the answer does not depend on the batches."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.disorder import kernels
from slackwater.disorder.parts import PartTally
from slackwater.disorder.slices import WIDTHS, width_for
from slackwater.estimate.kernels import MOST_BINS
from slackwater.time import MAX_TIME, Mask, has_no_place, is_future

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slackwater.events import Rows
    from slackwater.time import Times

MOST_GAPS = 10
COUNTED = ("rows", "nulls", "future", "ahead")  # ahead: arrived before they happened, by the arrival column
_NO_ARRIVALS = np.zeros(0, np.int64)


class Tally:
    """What is known of the events so far. `clock` and `part_clocks`: where the events before these left the clocks.

    Holds at most `MOST_SLICES` histograms of time slices, and what `PartTally` holds for each kind of part.

    >>> tally = Tally()
    >>> tally.on_batch(np.array([1, 4, 3]), usable=None)
    >>> tally.counts_of_all()[:3].tolist(), tally.largest
    ([2, 1, 0], 1)
    """

    def __init__(
        self, kinds: Sequence[str] = (), *, clock: int | None = None, part_clocks: Mapping[str, Times] | None = None
    ) -> None:
        self.state = kernels.empty_state(clock)
        self.slices = np.zeros((kernels.MOST_SLICES, MOST_BINS), np.int64)
        self.gaps = np.zeros((MOST_GAPS, 2), np.int64)
        self.parts = {kind: PartTally((part_clocks or {}).get(kind)) for kind in kinds}
        self.counted = dict.fromkeys(COUNTED, 0)
        self.least = MAX_TIME
        self.transit = (MAX_TIME, -MAX_TIME)  # least and most of arrival time - event time

    def on_batch(
        self,
        times: Times,
        *,
        usable: Mask | None,
        arrivals: Times | None = None,
        codes: Mapping[str, Rows] | None = None,
    ) -> None:
        """Count the events of a batch, in arrival order; those that are not usable have no say in anything here."""
        first_row, codes = self.counted["rows"], codes or {}
        self.counted["rows"] += len(times)
        if usable is not None:
            times, codes = times[usable], {kind: each[usable] for kind, each in codes.items()}
            arrivals = None if arrivals is None else arrivals[usable]
        if not len(times):
            return
        steps = _NO_ARRIVALS if arrivals is None else np.ascontiguousarray(arrivals)
        before = np.empty(len(times) if codes else 0, np.int64)
        self.least = min(self.least, int(times.min()))
        times = np.ascontiguousarray(times)
        kernels.follow(times, steps, self.state, self.slices, self.gaps, WIDTHS, before)
        for kind, each in codes.items():
            self.parts[kind].on_batch(times, steps, before, each, first_row)

    def merge(self, later: Tally) -> None:
        """Add what was counted of the events after these, from the clocks where these end."""
        if later.clock is None:
            return self._add_counted(later)
        self.close()
        later.close()
        if self.clock is None:
            self.state[:], self.slices[:] = later.state, later.slices
        else:
            self._add_slices(later)
        for start, length in later.gaps:
            kernels.add_gap(self.gaps, int(start), int(length))
        for kind, part in self.parts.items():
            part.merge(later.parts[kind])
        return self._add_counted(later)

    def close(self) -> None:
        """End the step that is open: the last rows of it have arrived."""
        if self.clock is not None:
            kernels.close_step(self.state, self.gaps)
            kernels.slice_of(self.clock, self.state, self.slices, WIDTHS)

    @property
    def clock(self) -> int | None:
        """The largest event time seen, None before the first."""
        return None if self.state[kernels.CLOCK] == kernels.NONE else int(self.state[kernels.CLOCK])

    @property
    def largest(self) -> int:
        """The largest delay, in us."""
        return int(self.state[kernels.LARGEST])

    @property
    def width(self) -> int:
        """How wide a slice is, in us."""
        return int(WIDTHS[self.state[kernels.WIDTH]])

    def counts_of_all(self) -> Rows:
        """Return the events by bin of their delay."""
        counts: Rows = self.slices.sum(axis=0)
        counts[0] += self.state[kernels.FIRST_ROWS]
        return counts

    def counts_of_slices(self) -> dict[int, Rows]:
        """Return the events by bin of their delay, by the start of the slice that the clock was in; empty ones too.

        The tally must be closed.
        """
        if self.clock is None:
            return {}
        first = int(self.state[kernels.FIRST_CLOCK])
        numbers = range(self.clock // self.width - first // self.width + 1)
        found = {(first // self.width + each) * self.width: self.slices[each].copy() for each in numbers}
        next(iter(found.values()))[0] += self.state[kernels.FIRST_ROWS]
        return found

    def _add_counted(self, later: Tally) -> None:
        for name in COUNTED:
            self.counted[name] += later.counted[name]
        self.least = min(self.least, later.least)
        self.transit = (min(self.transit[0], later.transit[0]), max(self.transit[1], later.transit[1]))

    def _add_slices(self, later: Tally) -> None:
        first, last = int(self.state[kernels.FIRST_CLOCK]), int(later.state[kernels.CLOCK])
        place = width_for(first, last, kernels.MOST_SLICES)
        wide = max(place, int(self.state[kernels.WIDTH]))
        self._widen(wide)
        later._widen(wide)
        begin = int(later.state[kernels.FIRST_CLOCK]) // self.width - first // self.width
        fitting = kernels.MOST_SLICES - begin
        self.slices[begin:] += later.slices[:fitting]
        self.state[kernels.CLOCK] = self.state[kernels.BEFORE] = max(int(self.state[kernels.CLOCK]), last)
        self.state[kernels.LARGEST] = max(self.largest, later.largest)
        self.state[kernels.STEPS] += later.state[kernels.STEPS]
        self.state[kernels.FIRST_ROWS] += later.state[kernels.FIRST_ROWS]

    def _widen(self, place: int) -> None:
        first = int(self.state[kernels.FIRST_CLOCK])
        for wider in range(int(self.state[kernels.WIDTH]) + 1, place + 1):
            kernels.coarsen(self.slices, first, WIDTHS[wider - 1], WIDTHS[wider])
            self.state[kernels.WIDTH] = wider


def usable_rows(
    times: Times, has_time: Mask | None, tally: Tally, *, present: Times | int, max_ahead: int | None
) -> Mask | None:
    """Return which rows have a time that can be (None: all of them); count the others."""
    future = is_future(times, present, max_ahead)
    missing = has_no_place(times) if has_time is None else has_no_place(times) | ~has_time
    future &= ~missing
    tally.counted["nulls"] += int(np.count_nonzero(missing))
    tally.counted["future"] += int(np.count_nonzero(future))
    usable = ~(missing | future)
    return None if usable.all() else usable


def packed(tally: Tally, *, clocks_only: bool = False) -> bytes:
    """Return a tally as bytes, to be sent from one process to another; without its histograms if only clocks count."""
    rows = 0 if clocks_only else None
    arrays: dict[str, Any] = {"state": tally.state, "slices": tally.slices[:rows], "gaps": tally.gaps}
    for kind, part in tally.parts.items():
        counts = part.counts[:rows]
        arrays |= {f"{kind}.numbers": part.numbers, f"{kind}.counts": counts, f"{kind}.other": part.other_rows}
    arrays["counted"] = np.array([*tally.counted.values(), tally.least, *tally.transit], np.int64)
    target = io.BytesIO()
    np.savez_compressed(target, **arrays)
    return target.getvalue()


def unpacked(data: bytes, kinds: Sequence[str]) -> Tally:
    """Return the tally that was packed."""
    tally, arrays = Tally(kinds), np.load(io.BytesIO(data), allow_pickle=False)
    tally.state, tally.slices, tally.gaps = (arrays[name] for name in ("state", "slices", "gaps"))
    for kind, part in tally.parts.items():
        part.numbers, part.counts = arrays[f"{kind}.numbers"], arrays[f"{kind}.counts"]
        part.other_rows = int(arrays[f"{kind}.other"])
    *counted, tally.least, least, most = map(int, arrays["counted"])
    tally.counted, tally.transit = dict(zip(COUNTED, counted, strict=True)), (least, most)
    return tally
