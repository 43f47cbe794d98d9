"""The axes of experiments' figures: units, logarithms where they are due, and ranges that do not mislead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_FEW = 8  # values that can all be ticks
_WIDE = 10  # a largest value this many times the smallest asks for a logarithm
_VERY_WIDE = 200


def axis_of(
    column: Mapping[str, str], values: Sequence[Any], *, log: bool, ticks: bool = False, bars: bool = False
) -> dict[str, Any]:
    """Return the layout of an axis; `log` holds only where the values span a decade.

    >>> axis_of({"head": "slack", "unit": "s"}, [1, 50], log=True)
    {'title': 'slack (s), log scale', 'type': 'log', 'dtick': 'D2', 'tickformat': ',~r'}
    >>> axis_of({"head": "slack", "unit": "s"}, [1, 2], log=True)
    {'title': 'slack (s)'}
    """
    numbers = [value for value in values if isinstance(value, int | float)]
    positive = [value for value in numbers if value > 0]
    if log and positive and max(positive) >= _WIDE * min(positive):
        axis = {"title": f"{_title(column)}, log scale", **_logarithmic(max(positive) / min(positive))}
    else:
        axis = {"title": _title(column)}
    if ticks and len(numbers) == len(values) and len(set(numbers)) <= _FEW:
        chosen = sorted(set(numbers))
        axis |= {"tickvals": chosen, "ticktext": [f"{value:,g}" for value in chosen]}
        axis.pop("dtick", None)
    if column["unit"] == "%":
        axis["tickformat"] = "~%"
        if "type" not in axis and numbers:
            axis["range"] = share_range(numbers, from_zero=bars)
    return axis


def share_range(shares: Sequence[float], *, from_zero: bool) -> list[float]:
    """Return what part of an axis to show: bars begin at 0, and nothing is above 100 %.

    >>> share_range([0.97, 1.0], from_zero=False), share_range([1.0], from_zero=False)
    ([0.9664, 1.0036], [0.9, 1.01])
    """
    low, high = min(shares), max(shares)
    if from_zero:
        return [0.0, round(high * 1.05, 4)]
    if low == high:
        return [0.9, 1.01] if high == 1 else [0.0, round(high * 1.1, 4) or 1.0]
    margin = 0.12 * (high - low)
    return [round(max(low - margin, 0.0), 5), round(high + margin, 5)]


def _logarithmic(span: float) -> dict[str, Any]:
    """Return a logarithmic axis, with ticks at 1, 2 and 5 where there are few decades."""
    return {"type": "log", "dtick": 1 if span >= _VERY_WIDE else "D2", "tickformat": ",~r"}


def _title(column: Mapping[str, str]) -> str:
    """Return the title of an axis, with its unit; percentages have it on their ticks.

    >>> _title({"head": "recall", "unit": "%"})
    'recall'
    """
    return f"{column['head']} ({column['unit']})" if column["unit"] not in ("", "%") else column["head"]
