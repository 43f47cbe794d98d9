"""How well bounds on the error of aggregates are kept, and at what slack: sets x bounds x controllers.

Not a ratio of times, so it is no part of `slackwater bench`: run it as a module, for example

    python -m benchmarks.relative_error --sets freeway,flights --bounds .01,.03,.1 --controllers default,AlphaPD

Every cell goes to a file of JSON lines as soon as it is known, and a cell that the file has is not run again: stop it
at any time and go on later. Nothing tells the file that the code has changed: then give another one with --results.

Every set has the query of `experiments/window_stream.py`. `within` is the share of all results that keep the bound,
against the values with all rows; the slack is averaged over all decisions. `hindsight` is the smallest constant slack
that reaches the confidence, the second one the smallest that reaches what the controller did: exact, not searched.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

import slackwater as sw
from benchmarks.cells import Cell, Figures, cells_of, in_ms, run_missing, set_by_set, table_of
from benchmarks.growing_file import RESULTS
from slackwater.contracts import Contract, ControllerConfig
from slackwater.control import PD, AlphaPD, MaxDelay, NormalDelay
from slackwater.experiments.window_stream import WindowStream, windows_of_dataset
from slackwater.quality.latency import average_slack
from slackwater.quality.relative_error import errors
from slackwater.time import Duration

SETS = "freeway,syn3,poisson,poisson-changing,nezha,flights,umts,zeek"
BOUNDS = ".01,.03,.1"
CONTROLLERS = "default,AlphaPD,PD,DropRatio,NormalDelay,MaxSlack,NoSlack,hindsight"
CONFIDENCE = 0.95
HEADS = (
    "set", "bound", "controller", "within", "p95 of errors", "average slack (ms)", "hindsight (ms)", "ratio",
    "hindsight at its share (ms)", "ratio",
)  # fmt: skip


def main(
    sets: Annotated[str, typer.Option(help="Data sets.")] = SETS,
    bounds: Annotated[str, typer.Option(help="Bounds of the relative error, for 95 % of the results.")] = BOUNDS,
    controllers: Annotated[str, typer.Option(help=f"Of {CONTROLLERS}.")] = CONTROLLERS,
    seed: Annotated[int, typer.Option(help="Of the generated streams.")] = 1,
    duration: Annotated[str | None, typer.Option(help="How much of each set; all of it unless given.")] = None,
    results: Annotated[Path, typer.Option(help="Where cells are kept.")] = RESULTS / "relative-error.jsonl",
) -> None:
    """Run the cells that are missing, and print all that were asked for as a table in Markdown."""
    wanted = cells_of(sets.split(","), bounds, controllers, seed=seed, duration=duration)
    print(table(run_missing(results, wanted, _run, _line)))
    print(f"\n{len(wanted)} cells, kept in {results}", file=sys.stderr)


def _run(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Figures]]:
    def load(cell: Cell) -> WindowStream:
        return windows_of_dataset(cell.set, seed=cell.seed, duration=cell.duration)

    return set_by_set(cells, load, measure)


def measure(stream: WindowStream, cell: Cell) -> Figures:
    """Return the figures of one cell; durations in us."""
    goal = sw.RelativeError(cell.target, confidence=CONFIDENCE, adaptation_interval=stream.every)
    best = stream.hindsight(goal, CONFIDENCE)
    emitted = stream.run(_contract(cell.controller, stream, goal, best))
    found = errors(stream.errors(emitted.windows, goal), goal.bound)
    average = average_slack(emitted.at, emitted.slack, int(emitted.at[-1])).over_adaptations
    same = stream.hindsight(goal, max(found.within, 1e-9))
    return {
        "within": found.within,
        "results": found.results,
        "p95": found.p95,
        "missing": found.missing,
        "late": emitted.late,
        "average_slack_us": average,
        "latency_us": stream.latency(emitted),
        "hindsight_us": best,
        "same_us": same,
        "took_s": round(emitted.took, 2),
    }


def _contract(controller: str, stream: WindowStream, goal: sw.RelativeError, best: int) -> Contract:
    """Return what is run; a drop ratio of the bound is what one might write instead."""
    every = stream.every
    by: dict[str, ControllerConfig | None] = {
        "AlphaPD": AlphaPD(),
        "PD": _scaled_pd(stream),
        "default": None,
        "MaxSlack": MaxDelay(),
    }
    match controller:
        case "hindsight":
            return sw.FixedSlack(Duration(best), adaptation_interval=every)
        case "NoSlack":
            return sw.NoSlack(adaptation_interval=every)
        case "DropRatio" | "NormalDelay":
            how = None if controller == "DropRatio" else NormalDelay()
            period = max(Duration.of("1 minute"), Duration.of(every))
            return sw.DropRatio(goal.bound, over=period, adaptation_interval=every, controller=how)
    return sw.RelativeError(
        goal.bound, confidence=goal.confidence, adaptation_interval=every, controller=by[controller]
    )


def _scaled_pd(stream: WindowStream) -> PD:
    """Return gains for the windows of a set: a slide where all is missing, half of it for the change."""
    slide = stream.query.slide.microseconds
    return PD(kp=Duration(slide), kd=Duration(slide // 2))


def table(cells: dict[Cell, Figures]) -> str:
    """Return a row for each cell."""
    return table_of(HEADS, cells, _shown)


def _shown(figures: Figures) -> tuple[str, ...]:
    average = figures["average_slack_us"]
    return (
        f"{figures['within']:.1%}",
        f"{figures['p95']:.2%}",
        in_ms(average),
        in_ms(figures["hindsight_us"]),
        _ratio(average, figures["hindsight_us"]),
        in_ms(figures["same_us"]),
        _ratio(average, figures["same_us"]),
    )


def _ratio(slack: float, best: float) -> str:
    return f"{slack / best:.2f}" if best else "-"


def _line(cell: Cell, figures: Figures) -> str:
    within, p95, slack, best, ratio, *_ = _shown(figures)
    return f"{cell.set} {cell.target:g} {cell.controller}: {within}, p95 {p95}, {slack} ms of {best}, {ratio}"


if __name__ == "__main__":
    typer.run(main)
