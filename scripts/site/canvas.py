"""A small canvas: axes, lines, dots and bars as SVG. Colors are classes, which the page's style sheet fills in."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from slackwater.report.svg_axis import Axis, axis_for

WIDTH = 760
_LEFT, _RIGHT = 60, 12
_LETTER = 6.4  # pixels of a letter, about

Point = tuple[float, float]


@dataclass
class Panel:
    """One pair of axes. What is drawn on it is kept in the order in which it is drawn."""

    x: Axis
    y: Axis
    parts: list[str] = field(default_factory=list)

    def line(self, points: Iterable[Point], kind: str, *, step: bool = False) -> None:
        """Draw a line through points; with `step` it is level between them."""
        placed = [(self.x.at(x), self.y.at(y)) for x, y in points]
        path = [f"M{placed[0][0]:.1f} {placed[0][1]:.1f}"]
        for x, y in placed[1:]:
            path.append(f"H{x:.1f}V{y:.1f}" if step else f"L{x:.1f} {y:.1f}")
        self.parts.append(f'<path d="{"".join(path)}" class="line {kind}"/>')

    def dots(self, points: Iterable[Point], kind: str, *, size: float = 2.6) -> None:
        """Draw a dot at each point."""
        for x, y in points:
            place = f'cx="{self.x.at(x):.1f}" cy="{self.y.at(y):.1f}"'
            self.parts.append(f'<circle {place} r="{size}" class="dot {kind}"/>')

    def bar(self, x: float, low: float, high: float, kind: str) -> None:
        """Draw from one value to another: an interval."""
        place = f"M{self.x.at(x):.1f} {self.y.at(low):.1f}V{self.y.at(high):.1f}"
        self.parts.append(f'<path d="{place}" class="bar {kind}"/>')

    def box(self, left: float, right: float, low: float, high: float, kind: str) -> None:
        """Draw a rectangle."""
        x, y = self.x.at(left), self.y.at(high)
        size = f'width="{self.x.at(right) - x:.1f}" height="{self.y.at(low) - y:.1f}"'
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size} class="box {kind}"/>')

    def text(self, x: float, y: float, said: str, *, kind: str = "", shift: Point = (0, 0)) -> None:
        """Write at a point, moved by pixels."""
        place = f'x="{self.x.at(x) + shift[0]:.1f}" y="{self.y.at(y) + shift[1]:.1f}"'
        self.parts.append(f'<text {place} class="{kind}">{html.escape(said)}</text>')


@dataclass(frozen=True)
class Wanted:
    """What a panel is to show: a range, or values that it must hold, for each axis; its height in pixels."""

    xs: Sequence[float]
    ys: Sequence[float]
    x: str
    y: str
    height: int = 200
    log_x: bool = False
    log_y: bool = False
    percent: bool = False
    ticks: tuple[tuple[float, str], ...] = ()  # of the x axis, instead of round numbers

    def panel(self, top: float) -> Panel:
        """Return the panel that begins so far down."""
        across: dict[str, object] = {"type": "log"} if self.log_x else {"range": [min(self.xs), max(self.xs)]}
        if self.ticks:
            across |= {"tickvals": [value for value, _ in self.ticks], "ticktext": [text for _, text in self.ticks]}
        up = ({"type": "log"} if self.log_y else {}) | ({"tickformat": "~%"} if self.percent else {})
        x = axis_for(across, self.xs, _LEFT, WIDTH - _RIGHT, "never")
        return Panel(x, axis_for(up, self.ys, top + self.height, top, "if near"))


def axes(panel: Panel, wanted: Wanted) -> list[str]:
    """Draw the axes of a panel, which lie under all else."""
    low, high = panel.y.start, panel.y.end
    parts = [f'<path d="M{_LEFT} {low:.1f}H{WIDTH - _RIGHT}" class="axis"/>']
    for value, text in panel.x.ticks:
        x = panel.x.at(value)
        parts.append(f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" class="grid"/>')
        parts.append(f'<text x="{x:.1f}" y="{low + 16:.1f}" class="tick middle">{html.escape(text)}</text>')
    for value, text in panel.y.ticks:
        y = panel.y.at(value)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}" class="grid"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" class="tick end">{html.escape(text)}</text>')
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{low + 34:.0f}" class="title middle">{html.escape(wanted.x)}</text>')
    turned = f"translate(14 {(low + high) / 2:.0f}) rotate(-90)"
    parts.append(f'<text transform="{turned}" class="title middle">{html.escape(wanted.y)}</text>')
    return parts


def legend(entries: Sequence[tuple[str, str]]) -> list[str]:
    """Draw what the kinds mean, in one row."""
    parts, x = [], float(_LEFT)
    for kind, said in entries:
        parts.append(f'<circle cx="{x + 5:.0f}" cy="12" r="4.5" class="dot {kind}"/>')
        parts.append(f'<text x="{x + 14:.0f}" y="16">{html.escape(said)}</text>')
        x += 34 + len(said) * _LETTER
    return parts


def drawing(parts: Sequence[str], height: float, label: str) -> str:
    """Put everything into one picture; a line for each part, and no empty one, which would end it in Markdown."""
    head = f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{html.escape(label)}">'
    return "\n".join([head, *parts, "</svg>"]) + "\n"
