"""The figures of a report: what was waited for, what it cost and what was late, over event time."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go  # type: ignore[import-untyped]
import pyarrow as pa

from slackwater.report.tables import Numbers, Run, numbers, since_before
from slackwater.time import Times

Figure: TypeAlias = Any  # plotly has no types
Floats: TypeAlias = npt.NDArray[np.float64]

MOST_POINTS = 2_000  # of a line: more than a screen has pixels
MOST_BARS = 90
# each readable on white and on black
COLORS = ("#3b82c4", "#e07b1f", "#2e9e6b", "#b65fc4", "#c9a400", "#d1495b", "#8a8a8a", "#7a5c3e")
_LOG_TICKS = {"dtick": 1, "tickformat": ",~r"}
_WIDE = 100  # a largest value this many times a small one asks for a logarithmic axis


def slack_over_time(runs: Sequence[Run]) -> Figure:
    """Return the slack in force, one line for each policy (and bucket)."""
    lines = [(label, numbers(table, "at"), numbers(table, "slack") / 1e3) for label, table in _series(runs)]
    return over_time(lines, y="slack (ms)", unit="ms", step=True)


def buffered_over_time(runs: Sequence[Run]) -> Figure:
    """Return the rows held in the reorder buffer, one line for each policy (and bucket)."""
    lines = [
        (label, numbers(table, "at"), numbers(table, "buffered").astype(np.float64)) for label, table in _series(runs)
    ]
    return over_time(lines, y="rows buffered", unit="rows")


def over_time(
    lines: Sequence[tuple[str, Numbers, Floats]],
    *,
    y: str,
    unit: str,
    reduce: np.ufunc = np.maximum,
    step: bool = False,
    level: float | None = None,
) -> Figure:
    """Return lines over event time, each a label, times in us and values; `level` is marked by a dotted line.

    The first line is drawn over all others: it is what they are compared with.
    Where there are too many points, neighbors are joined by `reduce`, see `thin`.
    """
    drawn = [_line(label, at, values, reduce, unit=unit, step=step) for label, at, values in lines]
    for number, line in enumerate(drawn):
        line.zorder = len(drawn) - number
    figure = _figure(drawn, x="event time", y=y)
    if level is not None:
        figure.add_hline(y=level, line={"dash": "dot", "width": 1.5, "color": "#888888"})
    return figure


def late_over_time(runs: Sequence[Run]) -> Figure:
    """Return the rows that were late since the bar before, one row of bars for each policy (and bucket)."""
    bars = []
    for label, table in _series(runs):
        late = since_before(numbers(table, "late"))
        at, rows = thin(numbers(table, "at"), late, points=MOST_BARS, reduce=np.add)
        hover = "%{x}<br>%{y:,} late<extra>" + _text(label) + "</extra>"
        bars.append(go.Bar(x=_moments(at), y=rows.tolist(), name=_text(label), hovertemplate=hover))
    return _figure(bars, x="event time", y="rows late")


def delay_distribution(delays: dict[str, Times]) -> Figure:
    """Return the share of events whose delay is larger than each value, one line for each stream.

    A fixed slack of that value makes at most this share of the events late.
    """
    lines = [(stream, *exceedance(values)) for stream, values in delays.items()]
    return log_log_lines(
        [(stream, at / 1e3, share) for stream, at, share in lines], x="delay (ms)", y="share of events"
    )


def log_log_lines(lines: Sequence[tuple[str, Floats, Floats]], *, x: str, y: str) -> Figure:
    """Return shares of events by a duration in ms, each line a label, durations and shares; both axes logarithmic."""
    drawn = []
    for label, at, share in lines:
        hover = "> %{x:,.3~f} ms: %{y:.3~%} of the events<extra>" + _text(label) + "</extra>"
        drawn.append(go.Scatter(x=at.tolist(), y=share.tolist(), name=_text(label), mode="lines", hovertemplate=hover))
    figure = _figure(drawn, x=f"{x}, log scale", y=y)
    figure.update_xaxes(type="log", range=_where_it_falls(lines), **_LOG_TICKS)
    return figure.update_yaxes(type="log", title=f"{y}, log scale", **{**_LOG_TICKS, "tickformat": "~%"})


def share_lines(lines: Mapping[str, Sequence[tuple[float, float]]], *, x: str, y: str) -> Figure:
    """Return shares by shares, each line by its name; both axes linear."""
    drawn = []
    for label, points in lines.items():
        hover = "%{x:.3~%}: %{y:.2%}<extra>" + _text(label) + "</extra>"
        at, share = [point[0] for point in points], [point[1] for point in points]
        drawn.append(go.Scatter(x=at, y=share, name=_text(label), mode="lines+markers", hovertemplate=hover))
    figure = _figure(drawn, x=x, y=y)
    figure.update_xaxes(tickformat="~%")
    return figure.update_yaxes(type="linear", title=y, tickformat="~%")


def exceedance(delays: Times, *, points: int = 400) -> tuple[Floats, Floats]:
    """Return delays (us) spread evenly over a logarithmic axis, and the share of events with a larger one.

    >>> exceedance(np.array([0, 0, 10, 1000]), points=3)[1].tolist()
    [0.25, 0.25]
    """
    positive = delays[delays > 0]
    if not len(positive):
        return np.empty(0), np.empty(0)
    at = np.geomspace(positive.min(), positive.max(), points)
    share = 1 - np.searchsorted(np.sort(delays), at, side="right") / len(delays)
    return at[share > 0], share[share > 0]


def thin(
    at: Numbers, values: npt.NDArray[Any], *, points: int = MOST_POINTS, reduce: np.ufunc = np.maximum
) -> tuple[Numbers, npt.NDArray[Any]]:
    """Join neighbors so that at most `points` are left; `reduce` joins values, such as np.maximum to keep every peak.

    >>> at, values = thin(np.arange(6), np.array([1, 9, 2, 3, 4, 5]), points=3)
    >>> at.tolist(), values.tolist()
    ([0, 2, 4], [9, 3, 5])
    """
    group = max(1, -(-len(at) // points))
    starts = np.arange(0, len(at), group)
    return at[starts], reduce.reduceat(values, starts) if len(at) else values


def _series(runs: Sequence[Run]) -> Iterable[tuple[str, pa.Table]]:
    for run in runs:
        yield from run.buckets()


def _line(label: str, at: Numbers, values: Floats, reduce: np.ufunc, *, unit: str, step: bool) -> Any:
    at, joined = thin(at, values, reduce=reduce)
    return go.Scatter(
        x=_moments(at),
        y=joined.tolist(),
        name=_text(label),
        mode="lines",
        line={"shape": "hv" if step else "linear"},
        hovertemplate=f"%{{x}}<br>%{{y:,.3~f}} {unit}<extra>{_text(label)}</extra>",
    )


def _figure(traces: Sequence[Any], *, x: str, y: str) -> Figure:
    figure = go.Figure(traces)
    figure.update_layout(
        template=None,
        colorway=COLORS,
        height=340,
        margin={"l": 64, "r": 12, "t": 12, "b": 48},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        hovermode="closest",
        showlegend=True,
    )
    figure.update_xaxes(title=x)
    figure.update_yaxes(title=y)
    if is_wide([value for trace in traces for value in trace.y]):
        figure.update_yaxes(type="log", title=f"{y}, log scale", **_LOG_TICKS)
    return figure


def is_wide(values: Sequence[float]) -> bool:
    """Whether small values would vanish on a linear axis; a logarithmic one must not hide many zeros in turn.

    >>> is_wide([1, 2, 500]), is_wide([100, 200]), is_wide([0, 0, 500])
    (True, False, False)
    """
    positive = np.array([value for value in values if value > 0])
    if len(positive) < 0.95 * len(values) or not len(positive):
        return False
    return bool(positive.max() > _WIDE * np.quantile(positive, 0.05))


def _moments(at: Numbers) -> list[str]:
    """Return event times as text that plotly reads as dates."""
    return [str(moment) for moment in np.datetime_as_string(at.astype("datetime64[us]"), unit="ms")]


def _text(data: str) -> str:
    """Make text from data harmless: plotly reads a few HTML tags in names."""
    return html.escape(data, quote=False).replace("%{", "%\u200b{")


def banded_curve(
    curve: tuple[Floats, Floats],
    band: tuple[Floats, Floats] | None,
    points: Sequence[tuple[str, float, float]],
    *,
    x: str,
    y: str,
    level: float | None = None,
    step: bool = True,
) -> Figure:
    """Return a share that falls with a duration in s, both axes logarithmic, its band, and some points by name.

    What a logarithmic axis cannot show (no duration, a share of 0) is left out; a band that reaches 0 ends below all.
    """
    at, share = curve
    seen = (at > 0) & (share > 0)
    at, share = at[seen], share[seen]
    traces = []
    if band is not None and len(at):
        floor = float(share.min()) / 2
        low, high = (np.maximum(edge[seen], floor).tolist() for edge in band)
        hidden = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "x": at.tolist()}
        traces.append(go.Scatter(y=low, showlegend=False, **hidden))
        traces.append(go.Scatter(y=high, name="95% interval", fill="tonexty", fillcolor=f"{COLORS[0]}33", **hidden))
    hover = "%{x:,.4~r} s: %{y:.3~%}<extra></extra>"
    line = {"color": COLORS[0], "shape": "hv" if step else "linear"}
    traces.append(
        go.Scatter(
            x=at.tolist(), y=share.tolist(), name="any constant slack", mode="lines", line=line, hovertemplate=hover
        )
    )
    shown = [(label, at, share) for label, at, share in points if at > 0 and share > 0]
    for (label, at_point, of_point), color in zip(shown, (*COLORS[1:], *COLORS[1:]), strict=False):
        marker = {"size": 11, "color": color}
        traces.append(
            go.Scatter(
                x=[at_point], y=[of_point], name=_text(label), mode="markers", marker=marker, hovertemplate=hover
            )
        )
    figure = _figure(traces, x=f"{x}, log scale", y=y)
    figure.update_layout(height=420, legend_traceorder="normal")  # a filled band would turn the order around
    figure.update_xaxes(type="log", range=_where_it_falls([("", at, share)]), **_LOG_TICKS)
    figure.update_yaxes(type="log", title=f"{y}, log scale", **{**_LOG_TICKS, "tickformat": "~%"})
    if level is not None:
        figure.add_hline(y=level, line={"dash": "dot", "width": 1.5, "color": "#888888"})
    return figure


def _where_it_falls(lines: Sequence[tuple[str, Floats, Floats]]) -> list[float] | None:
    """Return the part of a logarithmic axis to show: delays of single microseconds would take up half of it.

    >>> at, share = np.array([1e-6, 1.0, 10.0]), np.array([0.5, 0.4, 0.1])
    >>> _where_it_falls([("", at, share)])
    [-0.5, 1.1]
    """
    falls = [float(at[share < 0.95 * share[0]].min(initial=at[-1])) for _, at, share in lines if len(at)]
    if not falls:
        return None
    largest = max(float(at.max()) for _, at, _ in lines if len(at))
    return [round(float(np.log10(min(falls))) - 0.5, 3), round(float(np.log10(largest)) + 0.1, 3)]
