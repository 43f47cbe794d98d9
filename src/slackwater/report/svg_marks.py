"""What lies on the axes of a figure that is drawn without a script: lines with markers, bars, and how far seeds spread.

Each line has a color, a dash and a marker of its own and each bar a color and a pattern, as in the figures with a
script; whoever draws a page puts `SHAPES` into it once.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slackwater.report.svg_axis import Axis
from slackwater.report.svg_path import path_of

_DASHES = {"dash": "8 4", "dot": "3 3", "dashdot": "8 3 2 3", "longdash": "14 4", "longdashdot": "14 4 2 4"}
_MARKERS = {
    "circle": '<circle r="4"/>',
    "square": '<path d="M-3.6-3.6h7.2v7.2h-7.2z"/>',
    "diamond": '<path d="M0-5 5 0 0 5-5 0z"/>',
    "triangle-up": '<path d="M0-5 4.6 3.6h-9.2z"/>',
    "triangle-down": '<path d="M0 5 4.6-3.6h-9.2z"/>',
    "x": '<path d="M-4-4 4 4M-4 4 4-4" stroke="currentColor" stroke-width="2.4"/>',
    "cross": '<path d="M0-5V5M-5 0H5" stroke="currentColor" stroke-width="2.4"/>',
    "star": '<path d="M0-6 1.5-2 5.6-1.8 2.4.8 3.5 4.8 0 2.5-3.5 4.8-2.4.8-5.6-1.8-1.5-2z"/>',
}
_PATTERNS = {
    "/": "M-2 2 2-2M0 8 8 0M6 10 10 6",
    "\\": "M6-2 10 2M0 0 8 8M-2 6 2 10",
    "x": "M0 0 8 8M0 8 8 0",
    "-": "M0 4H8",
    "|": "M4 0V8",
    "+": "M0 4H8M4 0V8",
    ".": "M3 4h2",
}
_NUMBERS = {pattern: number for number, pattern in enumerate(_PATTERNS)}
_BAR_GAP = 0.25  # of a place, between groups of bars
_WIDEST_BAR = 56  # pixels: a few bars need not fill the figure

SHAPES = (
    '<svg width="0" height="0" aria-hidden="true" style="position:absolute"><defs>'
    + "".join(f'<g id="mark-{name}">{shape}</g>' for name, shape in _MARKERS.items())
    + "".join(
        f'<pattern id="fill-{_NUMBERS[name]}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<path d="{path}" class="hatch"/></pattern>'
        for name, path in _PATTERNS.items()
    )
    + "</defs></svg>"
)

Trace = Mapping[str, Any]  # as plotly has it


def line_of(trace: Trace, x_axis: Axis, y_axis: Axis, aside: float = 0.0) -> Iterator[str]:
    """Draw a line; where a value is missing it has a gap. Its spread stands so many pixels aside, clear of others."""
    points = list(zip(trace["x"], trace["y"], strict=True))
    placed = [(x_axis.at(x), y_axis.at(y)) if x_axis.has(x) and y_axis.has(y) else None for x, y in points]
    yield f'<path d="{path_of(placed)}" class="line" {_stroke(trace)}/>'
    yield from _spread(trace, [x_axis.at(x) + aside if x_axis.has(x) else None for x in trace["x"]], y_axis)
    if "markers" in trace.get("mode", ""):
        for x, y in points:
            if x_axis.has(x) and y_axis.has(y):
                yield _marker(trace, x_axis.at(x), y_axis.at(y), _said(trace, x, y))


def bars_of(trace: Trace, x_axis: Axis, y_axis: Axis, place: int, places: int) -> Iterator[str]:
    """Draw one bar of each group: the one at `place` of `places`; what is not above the axis is not there."""
    slot = (x_axis.end - x_axis.start) / len(x_axis.names)
    width = min(slot * (1 - _BAR_GAP) / places, _WIDEST_BAR)
    floor = y_axis.start if y_axis.log else y_axis.at(max(y_axis.low, 0))
    centers, boxes = [], []
    for name, value in zip(trace["x"], trace["y"], strict=True):
        left = x_axis.at(name) + (place - places / 2) * width
        centers.append(left + width / 2)
        if y_axis.has(value):
            top = y_axis.at(value)
            tall = max(floor - top, 0)
            box = f'x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{tall:.1f}"'
            yield f'<rect {box} fill="{_color(trace)}"><title>{_said(trace, name, value)}</title></rect>'
            boxes.append((left, top, width, tall))
    yield from _hatched(trace, boxes)
    yield from _spread(trace, centers, y_axis)


def sample_of(trace: Trace, x: float, y: float) -> Iterator[str]:
    """Draw what the legend shows of a line or bar, 28 pixels wide."""
    if trace["type"] == "bar":
        yield f'<rect x="{x + 8:.0f}" y="{y - 6:.0f}" width="14" height="12" fill="{_color(trace)}"/>'
        yield from _hatched(trace, [(x + 8, y - 6, 14, 12)])
        return
    yield f'<path d="M{x:.0f} {y:.0f}h26" class="line" {_stroke(trace)}/>'
    if "markers" in trace.get("mode", ""):
        yield _marker(trace, x + 13, y, "")


def _hatched(trace: Trace, boxes: Sequence[tuple[float, float, float, float]]) -> Iterator[str]:
    """Draw the pattern of bars over them, of all at once."""
    pattern = trace["marker"].get("pattern", {}).get("shape", "")
    if pattern and boxes:
        path = "".join(f"M{x:.1f} {y:.1f}h{wide:.1f}v{tall:.1f}h-{wide:.1f}z" for x, y, wide, tall in boxes)
        yield f'<path d="{path}" style="fill:url(#fill-{_NUMBERS[pattern]})" pointer-events="none"/>'


def _marker(trace: Trace, x: float, y: float, said: str) -> str:
    color = trace["marker"]["color"]
    title = f"<title>{said}</title>" if said else ""
    name = trace["marker"]["symbol"]
    return f'<use href="#mark-{name}" x="{x:.1f}" y="{y:.1f}" fill="{color}" color="{color}">{title}</use>'


def _spread(trace: Trace, places: Sequence[float | None], y_axis: Axis) -> Iterator[str]:
    """Draw from the lowest to the highest seed."""
    error = trace.get("error_y", {})
    if not error.get("visible"):
        return
    path = "".join(
        f"M{x:.1f} {y_axis.at(y - below):.1f}V{y_axis.at(y + above):.1f}m-3 0h6M{x - 3:.1f} "
        f"{y_axis.at(y - below):.1f}h6"
        for x, y, above, below in zip(places, trace["y"], error["array"], error["arrayminus"], strict=True)
        if x is not None and y_axis.has(y) and y_axis.has(y - below) and above + below > 0
    )
    color = "" if trace["type"] == "bar" else f' style="stroke:{trace["line"]["color"]}"'
    if path:
        yield f'<path d="{path}" class="spread"{color}/>'


def _stroke(trace: Trace) -> str:
    dash = _DASHES.get(trace["line"].get("dash", "solid"))
    return f'stroke="{trace["line"]["color"]}"' + (f' stroke-dasharray="{dash}"' if dash else "")


def _color(trace: Trace) -> str:
    return str(trace["marker"]["color"])


def _said(trace: Trace, x: Any, y: Any) -> str:
    shown = ", ".join(f"{each:,.4g}" if isinstance(each, int | float) else str(each) for each in (x, y))
    return html.escape(f"{trace.get('name') or ''} {shown}".strip())
