"""The figures of experiments: lines with markers or bars over a parameter, with the spread over seeds, or over time.

Colors are told apart by people who see few (after Okabe and Ito); besides, every line has a marker and a dash of its
own, so that a print in gray can be read.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import plotly.graph_objects as go  # type: ignore[import-untyped]
from plotly.subplots import make_subplots  # type: ignore[import-untyped]

from slackwater.report.plots import Figure
from slackwater.report.reproduction_axes import axis_of

Row: TypeAlias = Mapping[str, Any]
Spec: TypeAlias = Mapping[str, Any]  # of a plot, as results have it

COLORS = ("#3b82c4", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8a8a8a", "#a08600")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star", "triangle-down")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid", "dash")
_PATTERNS = ("", "/", "x", "-", ".", "\\", "|", "+")
_ACROSS = 3  # panels beside each other
_PANEL_HEIGHT = 300


def figure_of(plot: Spec, rows: Sequence[Row]) -> Figure:
    """Draw a plot of the rows that it is about; None if there are none."""
    chosen = [row for row in rows if _is_of(plot, row)]
    if not chosen:
        return None
    panels = _labels(chosen, plot["panels"])
    drawn = {_label(row, plot["lines"]) for row in chosen}
    known = _labels(rows, plot["lines"])
    known = known if len(known) <= len(COLORS) else _labels(chosen, plot["lines"])  # else looks would repeat
    looks = {label: number % len(COLORS) for number, label in enumerate(known)}
    lines = {label: look for label, look in looks.items() if label in drawn}
    across = 2 if len(panels) == 4 else min(len(panels), _ACROSS)
    down = -(-len(panels) // across)
    figure = make_subplots(
        rows=down,
        cols=across,
        subplot_titles=panels if len(panels) > 1 else None,
        horizontal_spacing=0.09,
        vertical_spacing=0.22 if down < 3 else 0.12,
    )
    for number, panel in enumerate(panels):
        of_panel = [row for row in chosen if _label(row, plot["panels"]) == panel]
        for trace in _traces(plot, of_panel, lines, first=number == 0):
            figure.add_trace(trace, row=number // across + 1, col=number % across + 1)
    return _finished(figure, plot, chosen, down, lines=list(lines))


def _is_of(plot: Spec, row: Row) -> bool:
    values = row.get(plot["x"]["name"]), row.get(plot["y"]["name"])
    if any(value is None for value in values) or isinstance(values[1], list) != (plot["kind"] == "over_time"):
        return False
    return all(row.get(name) == value for name, value in plot["where"].items())


def _traces(plot: Spec, rows: Sequence[Row], lines: Mapping[str, int], *, first: bool) -> list[Any]:
    """Return the lines of a panel; what is called the same looks the same in all figures of an experiment."""
    traces = []
    for label, look in lines.items():
        own = [row for row in rows if _label(row, plot["lines"]) == label]
        style = {"name": label, "legendgroup": label, "showlegend": first and len(lines) > 1}
        if not own:  # the legend shows every line, also one that the first panel does not have
            if first:
                traces.append(_empty(plot, style, look))
        elif plot["kind"] == "over_time":
            traces.append(_over_time(plot, own, style, look))
        else:
            traces.append(_over_parameter(plot, own, style, look))
    return traces


def _over_time(plot: Spec, rows: Sequence[Row], style: dict[str, Any], look: int) -> Any:
    """Draw the first seed alone: several at once could not be told apart."""
    row = min(rows, key=lambda each: each["seed"])
    x, y = row[plot["x"]["name"]], row[plot["y"]["name"]]
    if plot["y_log"]:
        y = [value if value > 0 else None for value in y]  # a gap, not a fall out of the figure
    line = {"color": COLORS[look], "dash": _DASHES[look]}
    return go.Scatter(x=x, y=y, mode="lines", line=line, zorder=_above(look), **style)


def _over_parameter(plot: Spec, rows: Sequence[Row], style: dict[str, Any], look: int) -> Any:
    x_name, y_name = plot["x"]["name"], plot["y"]["name"]
    places = sorted({row[x_name] for row in rows}) if _is_numeric(rows, x_name) else _distinct(rows, x_name)
    values = [[row[y_name] for row in rows if row[x_name] == place] for place in places]
    means = [statistics.fmean(each) for each in values]
    spread = {
        "type": "data",
        "symmetric": False,
        "array": [max(each) - mean for each, mean in zip(values, means, strict=True)],
        "arrayminus": [mean - min(each) for each, mean in zip(values, means, strict=True)],
        "visible": any(len(set(each)) > 1 for each in values),
        "thickness": 1.5,
        "color": "#8a8a8a" if plot["kind"] == "bars" else COLORS[look],
        "width": 3,
    }
    if plot["kind"] == "bars":
        marker = {
            "color": COLORS[look],
            "pattern": {"shape": _PATTERNS[look], "size": 6, "solidity": 0.25, "fillmode": "overlay"},
        }
        return go.Bar(x=[str(place) for place in places], y=means, error_y=spread, marker=marker, **style)
    return go.Scatter(
        x=places,
        y=means,
        error_y=spread,
        mode="lines+markers",
        line={"color": COLORS[look], "dash": _DASHES[look]},
        marker={"symbol": _SYMBOLS[look], "size": 8, "color": COLORS[look]},
        zorder=_above(look),
        **style,
    )


def _above(look: int) -> int:
    """Return the layer of a line: the first one lies above the others."""
    return len(COLORS) - look


def _empty(plot: Spec, style: dict[str, Any], look: int) -> Any:
    if plot["kind"] == "bars":
        return go.Bar(x=[None], y=[None], marker={"color": COLORS[look]}, **style)
    return go.Scatter(x=[None], y=[None], mode="lines", line={"color": COLORS[look], "dash": _DASHES[look]}, **style)


def _finished(figure: Figure, plot: Spec, rows: Sequence[Row], down: int, *, lines: Sequence[str]) -> Figure:
    legend_rows = 1 + sum(len(line) + 8 for line in lines) // 110 if len(lines) > 1 else 0
    top = 16 + 24 * legend_rows + (24 if figure.layout.annotations else 0)
    height = _PANEL_HEIGHT * down + top + 40
    figure.update_layout(
        template=None,
        height=height,
        margin={"l": 64, "r": 12, "t": top, "b": 48},
        legend={"orientation": "h", "x": 0, "y": 1 + (top - 10) / (height - top - 48), "yanchor": "top"},
        hovermode="closest",
        bargap=0.25,
    )
    figure.update_annotations(font_size=13)
    x_axis = axis_of(plot["x"], _values(rows, plot["x"]["name"]), log=plot["x_log"], ticks=plot["kind"] == "lines")
    y_axis = axis_of(plot["y"], _values(rows, plot["y"]["name"]), log=plot["y_log"], bars=plot["kind"] == "bars")
    x_title, y_title = x_axis.pop("title"), y_axis.pop("title")
    figure.update_xaxes(**x_axis)
    figure.update_yaxes(**y_axis)
    figure.update_xaxes(title=x_title, row=down)
    figure.update_yaxes(title=y_title, col=1)
    return figure


def _label(row: Row, names: Sequence[str]) -> str:
    """Return what a line or panel is called: the values of these names; a number would say nothing by itself.

    >>> _label({"set": "syn3", "target": 0.95, "every_s": 3}, ["set", "target", "every_s"])
    'syn3, target 0.95, every 3 s'
    """
    values = {name: row[name] for name in names if row.get(name) is not None}
    return ", ".join(_named(name, value) for name, value in values.items())


def _named(name: str, value: Any) -> str:
    if not isinstance(value, int | float):
        return str(value)
    plain, unit = (name.removesuffix("_s"), " s") if name.endswith("_s") else (name, "")
    return f"{plain.replace('_', ' ')} {value}{unit}"


def _labels(rows: Sequence[Row], names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(_label(row, names) for row in rows))


def _values(rows: Sequence[Row], name: str) -> list[Any]:
    """Return all values of a name, also those of series."""
    found = [row[name] for row in rows]
    return [each for value in found for each in (value if isinstance(value, list) else [value])]


def _distinct(rows: Sequence[Row], name: str) -> list[Any]:
    return list(dict.fromkeys(row[name] for row in rows))


def _is_numeric(rows: Sequence[Row], name: str) -> bool:
    return all(isinstance(row[name], int | float) for row in rows)
