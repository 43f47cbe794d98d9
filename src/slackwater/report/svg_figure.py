"""A figure as SVG, for pages without a script: small, in print as on screen, in the colors of the page.

It is drawn from plotly's description of the figure, so that both look alike; of that it knows what the figures of
experiments use: panels, lines, bars, logarithms, one legend.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slackwater.report.plots import Figure
from slackwater.report.svg_axis import Axis, axis_for
from slackwater.report.svg_marks import Trace, bars_of, line_of, sample_of

WIDTH = 980
_LEFT, _RIGHT, _BOTTOM = 66, 14, 50
_LETTER = 6.6  # pixels of a letter, about
_LEGEND_ROW = 22
_ASIDE = 5.0  # pixels between the spreads of lines at the same place
_SLANTED = 0.5  # of a long name's length, how far it reaches down when it is slanted

Layout = Mapping[str, Any]


def svg_of(figure: Figure, label: str) -> str:
    """Draw a figure."""
    described = figure.to_dict()
    traces, layout = described["data"], described["layout"]
    legend = list(_legend(traces))
    titles = layout.get("annotations", ())
    top = 10 + _LEGEND_ROW * (1 + max((row for _, _, row in legend), default=-1)) + (20 if titles else 0)
    inside = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    bottom = _BOTTOM + _reach(traces, layout)
    height = top + inside + bottom
    parts = [_sample(trace, x, 6 + _LEGEND_ROW * (row + 0.5)) for trace, x, row in legend]
    for number, name in enumerate(sorted((key for key in layout if key.startswith("xaxis")), key=_number)):
        own = [trace for trace in traces if (trace.get("xaxis") or "x") == _short(name)]
        title = titles[number]["text"] if number < len(titles) else ""
        parts.extend(_panel(own, traces, layout, name, (top, inside), title))
    return (
        f'<svg class="static" viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{html.escape(label)}">'
        + "".join(parts)
        + "</svg>"
    )


def _panel(
    own: Sequence[Trace], traces: Sequence[Trace], layout: Layout, name: str, tall: tuple[float, float], title: str
) -> Iterator[str]:
    """Draw one panel: axes, then what lies on them."""
    x_layout, y_layout = layout[name], layout[name.replace("x", "y", 1)]
    across = WIDTH - _LEFT - _RIGHT
    left, right = (_LEFT + across * edge for edge in x_layout["domain"])
    low, high = (tall[0] + tall[1] * (1 - edge) for edge in y_layout["domain"])
    bars = any(trace["type"] == "bar" for trace in own)
    xs = [value for trace in own for value in trace["x"] if value is not None]
    ys = [value for trace in own for value in _reached(trace)]
    if not xs:
        return
    x_axis = axis_for(x_layout, xs, left, right, "never")
    y_axis = axis_for(y_layout, ys, low, high, "always" if bars else "if near")
    yield from _x_axis(x_axis, y_axis, x_layout)
    yield from _y_axis(x_axis, y_axis, y_layout)
    if title:
        yield f'<text x="{(left + right) / 2:.0f}" y="{high - 7:.0f}" class="middle">{html.escape(title)}</text>'
    names = list(dict.fromkeys(trace.get("name") for trace in traces if trace["type"] == "bar"))
    for number, trace in reversed(list(enumerate(own))):  # the first lies above the others
        if trace["type"] == "bar":
            if any(value is not None for value in trace["x"]):
                yield from bars_of(trace, x_axis, y_axis, names.index(trace.get("name")), len(names))
        else:
            yield from line_of(trace, x_axis, y_axis, aside=_ASIDE * (number - (len(own) - 1) / 2))


def _x_axis(x_axis: Axis, y_axis: Axis, layout: Layout) -> Iterator[str]:
    low = y_axis.start
    slanted = _is_slanted(x_axis)
    for value, text in x_axis.ticks:
        x = x_axis.at(value)
        if not x_axis.names:
            yield f'<path d="M{x:.1f} {low:.1f}V{y_axis.end:.1f}" class="grid"/>'
        place = f'transform="translate({x + 5:.1f} {low + 15:.1f}) rotate(-30)" class="tick end"'
        place = place if slanted else f'x="{x:.1f}" y="{low + 18:.1f}" class="tick middle"'
        yield f"<text {place}>{html.escape(text)}</text>"
    yield f'<path d="M{x_axis.start:.1f} {low:.1f}H{x_axis.end:.1f}" class="axis"/>'
    if said := _title(layout):
        down = 40 + (_longest(x_axis) * _LETTER * _SLANTED if slanted else 0)
        middle = (x_axis.start + x_axis.end) / 2
        yield f'<text x="{middle:.0f}" y="{low + down:.0f}" class="title middle">{html.escape(said)}</text>'


def _y_axis(x_axis: Axis, y_axis: Axis, layout: Layout) -> Iterator[str]:
    for value, text in y_axis.ticks:
        y = y_axis.at(value)
        yield f'<path d="M{x_axis.start:.1f} {y:.1f}H{x_axis.end:.1f}" class="grid"/>'
        yield f'<text x="{x_axis.start - 6:.1f}" y="{y + 4:.1f}" class="tick end">{html.escape(text)}</text>'
    if said := _title(layout):
        at = f"translate({x_axis.start - 52:.0f} {(y_axis.start + y_axis.end) / 2:.0f}) rotate(-90)"
        yield f'<text transform="{at}" class="title middle">{html.escape(said)}</text>'


def _legend(traces: Sequence[Trace]) -> Iterator[tuple[Trace, float, int]]:
    """Yield what the legend shows, where it begins, and in which row."""
    x, row = float(_LEFT), 0
    for trace in traces:
        if trace.get("showlegend"):
            wide = 36 + len(trace["name"]) * _LETTER + 18
            if x + wide > WIDTH and x > _LEFT:
                x, row = float(_LEFT), row + 1
            yield trace, x, row
            x += wide


def _sample(trace: Trace, x: float, y: float) -> str:
    return (
        "".join(sample_of(trace, x, y)) + f'<text x="{x + 34:.0f}" y="{y + 4:.0f}">{html.escape(trace["name"])}</text>'
    )


def _reached(trace: Trace) -> Iterator[float]:
    """Yield the values of a trace, and how far its seeds spread."""
    error = trace.get("error_y", {})
    spread = zip(error["array"], error["arrayminus"], strict=True) if error.get("visible") else None
    for value in trace["y"]:
        above, below = next(spread) if spread else (0, 0)
        if value is not None:
            yield from (value - below, value + above)


def _reach(traces: Sequence[Trace], layout: Layout) -> float:
    """Return how much further down slanted names reach in any panel."""
    names = [value for trace in traces for value in trace["x"] if isinstance(value, str)]
    if not names:
        return 0.0
    across = (WIDTH - _LEFT - _RIGHT) * (layout["xaxis"]["domain"][1] - layout["xaxis"]["domain"][0])
    axis = axis_for({}, names, 0, across, "never")
    return _longest(axis) * _LETTER * _SLANTED if _is_slanted(axis) else 0.0


def _is_slanted(axis: Axis) -> bool:
    """Whether names are too long to stand beside each other."""
    return bool(axis.names) and (_longest(axis) + 1) * _LETTER > (axis.end - axis.start) / len(axis.names)


def _longest(axis: Axis) -> int:
    return max(map(len, axis.names), default=0)


def _title(layout: Layout) -> str:
    return str(layout.get("title", {}).get("text", ""))


def _number(name: str) -> int:
    return int(name.removeprefix("xaxis") or 1)


def _short(name: str) -> str:
    return name.replace("axis", "")
