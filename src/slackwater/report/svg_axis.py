"""An axis of a figure that is drawn without a script: where values are, and which of them get a tick."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Zero: TypeAlias = Literal["always", "if near", "never"]

_TICKS = 5  # about as many are good to read
_DECADES = 2.3  # above so many, powers of ten are enough
_ROOM = 0.05  # of the range, beyond the smallest and the largest value


@dataclass(frozen=True)
class Axis:
    """From values to pixels: `low` is at `start`, `high` at `end`; names are at whole numbers."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    names: tuple[str, ...] = ()
    ticks: tuple[tuple[float, str], ...] = ()

    def at(self, value: float | str) -> float:
        """Return where a value is.

        >>> Axis(0, 10, 100, 200).at(5), Axis(1, 100, 0, 100, log=True).at(10)
        (150.0, 50.0)
        """
        number = self.names.index(value) if isinstance(value, str) else value
        low, high, place = (math.log10(each) if self.log else each for each in (self.low, self.high, number))
        return self.start + (place - low) / (high - low) * (self.end - self.start)

    def has(self, value: Any) -> bool:
        """Whether a value can be drawn."""
        return value is not None and (isinstance(value, str) or not self.log or value > 0)


def axis_for(layout: Mapping[str, Any], values: Sequence[Any], start: float, end: float, zero: Zero) -> Axis:
    """Return the axis that plotly's layout asks for; `zero` says whether it begins there."""
    names = tuple(dict.fromkeys(value for value in values if isinstance(value, str)))
    if names:
        ticks = tuple((float(number), name) for number, name in enumerate(names))
        return Axis(-0.5, len(names) - 0.5, start, end, names=names, ticks=ticks)
    log = layout.get("type") == "log"
    numbers = [float(value) for value in values if value is not None and (value > 0 or not log)] or [1.0]
    low, high = _range(layout, numbers, log=log, zero=zero)
    percent = layout.get("tickformat") == "~%"
    if "tickvals" in layout:
        chosen = list(zip(layout["tickvals"], layout["ticktext"], strict=True))
    else:
        chosen = [(value, _text(value, percent=percent)) for value in (_log_ticks if log else _ticks)(low, high)]
    return Axis(low, high, start, end, log, ticks=tuple(chosen))


def _range(layout: Mapping[str, Any], numbers: list[float], *, log: bool, zero: Zero) -> tuple[float, float]:
    """Return what is shown, with some room at both ends."""
    if "range" in layout:
        return float(layout["range"][0]), float(layout["range"][1])
    low, high = min(numbers), max(numbers)
    if log:
        factor = max(high / low, 10) ** _ROOM
        return low / factor, high * factor
    low = min(low, 0.0) if zero == "always" or (zero == "if near" and low < high / 2) else low
    room = _ROOM * ((high - low) or abs(high) or 1.0)
    return (low if low == 0 else low - room), high + room


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers within a range.

    >>> _ticks(0, 10.4), _ticks(0.88, 1.01)
    ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [0.9, 0.95, 1.0])
    """
    step = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= _TICKS + 0.5)
    first = math.ceil(low / step - 1e-9)
    return [round(number * step, 12) for number in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Return powers of ten within a range, with 2 and 5 times them where there are few.

    >>> _log_ticks(0.9, 60), _log_ticks(0.5, 20_000)
    ([1.0, 2.0, 5.0, 10.0, 20.0, 50.0], [1.0, 10.0, 100.0, 1000.0, 10000.0])
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1, 2, 5) if math.log10(high / low) < _DECADES else (1,)
    found = [float(f"{factor}e{decade}") for decade in decades for factor in factors]
    return [value for value in found if low * 0.999 <= value <= high * 1.001]


def _text(value: float, *, percent: bool) -> str:
    """Write a tick.

    >>> _text(0.95, percent=True), _text(2_000_000, percent=False), _text(0.05, percent=False)
    ('95%', '2M', '0.05')
    """
    if percent:
        return f"{100 * value:.6g}%"
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:,.6g}{unit}"
    return f"{value:.6g}"
