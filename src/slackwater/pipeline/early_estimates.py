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


class EarlyEstimates:
    """Estimates the functions of an aggregate. Memory does not grow with the stream, but with the groups alive.

    Args:
        panes: the windows.
        kinds: what each function does with more events.
        confidence: which share of the intervals is to hold the final result.
        estimate: "corrected", or "raw" for what has come; intervals and coverage are those of that value.
    """

    def __init__(
        self,
        panes: Panes,
        kinds: Sequence[Kind],
        *,
        confidence: float = 0.9,
        estimate: str = "corrected",
        state: dict[str, Any] | None = None,
    ) -> None:
        state = state or {}
        self._panes, self._kinds, self._correct = panes, tuple(kinds), estimate == "corrected"
        self._past = Completeness(Slots.of(panes.size, panes.slide), state.get("past"))
        self._groups = GroupMemory(state.get("groups"))
        functions = len(self._kinds)
        self._residuals = Residuals(functions=functions, confidence=confidence, state=state.get("residuals"))
        self._pending = Pending(functions, state.get("pending"))
        self.accuracy = RunningAccuracy(functions, state.get("accuracy"))
        self._uneven = np.array(state.get("uneven", [0.0, 0.0]))  # squares beyond chance, and squares
        self._errors = np.array(state.get("errors", np.zeros((2, functions))))  # weights, and squares by base

    def update(self, times: Times) -> None:
        """Count events that go into panes."""
        self._past.update(times)

    def early(self, window: int, group: Rows, rows: Floats, values: Floats, *, clock: int, slack: int) -> Estimates:
        """Estimate a window that is open, from the events that came: a row of values for each function, NaN for null.

        Groups are sorted; `rows` is how many events of each came.
        """
        end = int(self._panes.ends(np.array([window]))[0])
        self._past.look(clock)
        to_come = float(rows_to_come(self._past, clock, np.array([end]), size=self._panes.size, slack=slack)[0])
        foreseen = self._foreseen(group, rows, to_come)
        missing = foreseen * self._groups.lateness(group)
        promise = self._promised(window, self._age(clock, end), group, rows, foreseen, missing, values)
        self._pending.add(promise)
        return Estimates(promise.value, promise.low, promise.high, rows / np.maximum(rows + missing, 1e-9))

    def final(self, window: int, group: Rows, rows: Floats, values: Floats, *, closed_to: int) -> Floats:
        """Learn from a window that closed; return the error of each function, NaN if it had no early result.

        The error is 1 - accuracy, averaged over groups.
        """
        self._past.settle(closed_to - self._panes.size)
        self._groups.update(group, rows)
        found = self._pending.take(window, group)
        errors = [self._learn(promise, rows[at], values[:, at]) for promise, at in found]
        if not errors:
            return np.full(len(self._kinds), np.nan)
        last: Floats = errors[-1]
        return last

    def snapshot(self) -> dict[str, Any]:
        """Return all that is needed to go on, as values that JSON can hold."""
        return {
            "past": self._past.snapshot(),
            "groups": self._groups.snapshot(),
            "residuals": self._residuals.snapshot(),
            "pending": self._pending.snapshot(),
            "accuracy": self.accuracy.snapshot(),
            "uneven": self._uneven.tolist(),
            "errors": self._errors.tolist(),
        }

    def _age(self, clock: int, end: int) -> int:
        age = round((clock - end) * AGES_PER_SLIDE / self._panes.slide)
        return int(np.clip(age, -OLDEST, OLDEST))

    def _foreseen(self, group: Rows, rows: Floats, to_come: float) -> Floats:
        """Return how many events of each group would be to come if all groups were equally late."""
        shares, strength = self._groups.shares(group), self._groups.strength(group)
        return group_rows_to_come(rows, to_come, shares=shares, strength=strength)

    def _promised(
        self, window: int, age: int, group: Rows, rows: Floats, foreseen: Floats, missing: Floats, values: Floats
    ) -> Promise:
        """Return the estimates, and what is needed to learn from them."""
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
        return Promise(window, age, group, rows, foreseen, missing, center, scale, value, low, high)

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
        squares = _means((off / np.maximum(bases, 1e-12)) ** 2)
        known = ~np.isnan(squares)
        self._errors = np.where(known, self._errors * FORGET + np.stack((known, np.nan_to_num(squares))), self._errors)


def _means(table: Floats) -> Floats:
    """Return the mean of each row over what is known; NaN where nothing is."""
    known = ~np.isnan(table)
    count = known.sum(axis=1)
    total = np.where(known, table, 0.0).sum(axis=1)
    out: Floats = np.divide(total, count, out=np.full(len(table), np.nan), where=count > 0)
    return out
