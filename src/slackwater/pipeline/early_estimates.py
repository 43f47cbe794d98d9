"""Early results with what is known about them: the value that is expected in the end, an interval, the coverage.

Wires memories and models: `Completeness` and `rows_to_come` say how many events are missing, `GroupMemory` of which
groups, `early_estimate` what that does to values, `Residuals` how wrong such values were, and `RunningAccuracy` how
good they are. All of it learns from final results alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from slackwater.estimate.arrays import Floats
from slackwater.estimate.completeness import Completeness
from slackwater.estimate.early_accuracy import RunningAccuracy, accuracy_of
from slackwater.estimate.group_memory import GroupMemory
from slackwater.estimate.residuals import Residuals
from slackwater.estimate.slots import Slots
from slackwater.models.arrivals_to_come import rows_to_come
from slackwater.models.early_estimate import (
    Kind,
    corrected,
    error_base,
    error_size,
    group_rows_to_come,
    within_sure_bounds,
)
from slackwater.pipeline.early_pending import Pending, Promise

if TYPE_CHECKING:
    from slackwater.core.panes import Panes
    from slackwater.events import Rows
    from slackwater.time import Times

AGES_PER_SLIDE = 8  # ages of windows are told apart that finely
OLDEST = 2 * AGES_PER_SLIDE
FORGET = 0.5 ** (1 / 32)
TINY = 0.1  # of the usual error: what a value that happens to be 0 counts as


@dataclass(frozen=True, slots=True)
class Estimates:
    """For each group: a row for each function. Bounds are NaN as long as too few windows have been final."""

    value: Floats
    low: Floats
    high: Floats
    coverage: Floats  # of each group: which share of its events is believed to have come


def joined_estimates(parts: Sequence[Estimates]) -> Estimates | None:
    """Put the estimates of some groups behind those of others; None if there are none."""
    if not parts:
        return None
    names = ("value", "low", "high", "coverage")
    return Estimates(*(np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in names))


def no_estimates(functions: int, groups: int) -> Estimates:
    """Return what stands for the estimates of final results: they are complete, and their values known."""
    unknown = np.full((functions, groups), np.nan)
    return Estimates(unknown, unknown, unknown, np.ones(groups))


@dataclass(frozen=True, slots=True)
class Learned:
    """What a final window says about the early results that it had."""

    errors: Floats  # 1 - accuracy of the last one, for each function, averaged over groups; NaN: unknown
    past: int | None  # how far the clock was past the window's end when it was given; None: there was none


class EarlyEstimates:
    """Estimates the functions of an aggregate. Memory does not grow with the stream, but with the groups alive.

    Args:
        panes: the windows.
        kinds: what each function does with more events.
        confidence: which share of the intervals is to hold the final result.
        estimate: "corrected", or "raw" for what has come; intervals and coverage are those of that value.
        state: what `snapshot` returned.
        known: the group at each place of what `known` was then; None: all have the codes that they had.
    """

    def __init__(
        self,
        panes: Panes,
        kinds: Sequence[Kind],
        *,
        confidence: float = 0.9,
        estimate: str = "corrected",
        state: dict[str, Any] | None = None,
        known: Rows | None = None,
    ) -> None:
        state = state or {}
        self._panes, self._kinds, self._correct = panes, tuple(kinds), estimate == "corrected"
        self._past = Completeness(Slots.of(panes.size, panes.slide), state.get("past"))
        self._groups = GroupMemory(state.get("groups"))
        functions = len(self._kinds)
        self._residuals = Residuals(functions=functions, confidence=confidence, state=state.get("residuals"))
        self._pending = Pending(functions, state.get("pending"))
        if known is not None and state:
            self._groups = self._groups.renamed(known[self._groups.groups])
            self._pending.renamed(known)
        self.accuracy = RunningAccuracy(functions, state.get("accuracy"))
        self._uneven = np.array(state.get("uneven", [0.0, 0.0]))  # squares beyond chance, and squares
        self._errors = np.array(state.get("errors", np.zeros((2, functions))))  # weights, and squares by base

    def update(self, times: Times) -> None:
        """Count events that go into panes."""
        self._past.update(times)

    def early(
        self, window: int, group: Rows, rows: Floats, values: Floats, *, clock: int, slack: int, some: bool = False
    ) -> Estimates:
        """Estimate a window that is open, from the events that came: a row of values for each function, NaN for null.

        Groups are sorted; `rows` is how many events of each came. `some` says that there are other groups as well.
        """
        end = int(self._panes.ends(np.array([window]))[0])
        self._past.look(clock)
        to_come = float(rows_to_come(self._past, clock, np.array([end]), size=self._panes.size, slack=slack)[0])
        foreseen = self._foreseen(group, rows, to_come, self._part_of(end, rows) if some else None)
        missing = foreseen * self._groups.lateness(group)
        promise = self._promised(window, clock - end, group, rows, foreseen, missing, values)
        self._pending.add(promise)
        return Estimates(promise.value, promise.low, promise.high, rows / np.maximum(rows + missing, 1e-9))

    def final(self, window: int, group: Rows, rows: Floats, values: Floats, *, closed_to: int) -> Learned:
        """Learn from a window that closed, of all groups or of some."""
        self._past.settle(closed_to - self._panes.size)
        self._groups.update(group, rows)
        learned = Learned(np.full(len(self._kinds), np.nan), None)
        for promise, at in self._pending.take(window, group):
            learned = Learned(self._learn(promise, rows[at], values[:, at]), promise.past)
        return learned

    @property
    def known(self) -> Rows:
        """The groups that something is known of, sorted."""
        return np.union1d(self._groups.groups, self._pending.groups)

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on besides `known`, as values that JSON can hold; groups are places in it."""
        known = self.known
        return {
            "past": self._past.snapshot(),
            "groups": self._groups.renamed(np.searchsorted(known, self._groups.groups)).snapshot(),
            "residuals": self._residuals.snapshot(),
            "pending": self._pending.snapshot(known),
            "accuracy": self.accuracy.snapshot(),
            "uneven": self._uneven.tolist(),
            "errors": self._errors.tolist(),
        }

    def _age(self, past: int) -> int:
        return int(np.clip(round(past * AGES_PER_SLIDE / self._panes.slide), -OLDEST, OLDEST))

    def _part_of(self, end: int, rows: Floats) -> float:
        """Return which share of the events of a window are these."""
        slots = self._past.counts.slots
        start, stop = (round(slots.position(time)) for time in (end - self._panes.size, end))
        return float(rows.sum()) / max(float(self._past.counts.between(start, stop).sum()), float(rows.sum()), 1.0)

    def _foreseen(self, group: Rows, rows: Floats, to_come: float, part: float | None) -> Floats:
        """Return how many events of each group would be to come if all groups were equally late.

        `part` is which share of the window's events that came is of these groups; None: all.
        """
        shares, strength = self._groups.shares(group), self._groups.strength(group)
        if part is not None:
            shares, to_come = shares / max(float(shares.sum()), 1e-9), to_come * part
        return group_rows_to_come(rows, to_come, shares=shares, strength=strength)

    def _promised(
        self, window: int, past: int, group: Rows, rows: Floats, foreseen: Floats, missing: Floats, values: Floats
    ) -> Promise:
        """Return the estimates, and what is needed to learn from them."""
        age = self._age(past)
        center, scale, value, low, high = (np.empty_like(values) for _ in range(5))
        for number, (kind, came) in enumerate(zip(self._kinds, values, strict=True)):
            center[number] = corrected(kind, came, rows, missing) if self._correct else came
            scale[number] = self._scale(number, came, rows, missing)
            offsets = self._residuals.get(number, age, one_sided=kind in ("most", "least"))
            by = (offsets.middle if self._correct else 0.0, offsets.low, offsets.high)
            moved = within_sure_bounds(kind, came, center[number] + np.outer(by, scale[number]))
            value[number], low[number], high[number] = moved
            if kind == "most":
                low[number] = came
            elif kind == "least":
                high[number] = came
        return Promise(window, age, past, group, rows, foreseen, missing, center, scale, value, low, high)

    def _scale(self, number: int, value: Floats, rows: Floats, missing: Floats) -> Floats:
        weight, squares = self._errors[:, number]
        least = TINY * float(np.sqrt(squares / weight)) if weight else 0.0
        kind = self._kinds[number]
        base = error_base(kind, rows, missing, self._unevenness)
        return np.maximum(base * error_size(kind, value, rows, least), 1e-12)

    @property
    def _unevenness(self) -> float:
        beyond, squares = self._uneven
        return max(float(beyond / squares), 0.0) if squares else 0.0

    def _learn(self, promise: Promise, rows: Floats, values: Floats) -> Floats:
        """Compare a promise with what came true."""
        came = rows - promise.rows
        self._groups.learn(promise.group, came, promise.foreseen)
        off = values - promise.center
        missed = ((values < promise.low) | (values > promise.high)).astype(np.float64)
        missed[np.isnan(promise.low) | np.isnan(promise.high) | np.isnan(values)] = np.nan
        accuracy = accuracy_of(promise.value, values)
        self._residuals.update(promise.age, off / promise.scale, _means(missed))
        self.accuracy.update(accuracy, 1 - missed)
        self._learn_sizes(promise, came, off)
        return 1 - _means(accuracy)

    def _learn_sizes(self, promise: Promise, came: Floats, off: Floats) -> None:
        beyond = ((came - promise.missing) ** 2 - promise.missing).mean(), (promise.missing**2).mean()
        self._uneven = self._uneven * FORGET + beyond
        bases = [error_base(kind, promise.rows, promise.missing, self._unevenness) for kind in self._kinds]
        squares = _means((off / np.maximum(np.reshape(bases, off.shape), 1e-12)) ** 2)  # there may be no values
        known = ~np.isnan(squares)
        self._errors = np.where(known, self._errors * FORGET + np.stack((known, np.nan_to_num(squares))), self._errors)


def _means(table: Floats) -> Floats:
    """Return the mean of each row over what is known; NaN where nothing is."""
    known = ~np.isnan(table)
    count = known.sum(axis=1)
    total = np.where(known, table, 0.0).sum(axis=1)
    out: Floats = np.divide(total, count, out=np.full(len(table), np.nan), where=count > 0)
    return out
