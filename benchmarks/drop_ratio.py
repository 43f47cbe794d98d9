"""How well drop-ratio contracts are kept, and at what slack: streams x targets x controllers.

Not a ratio of times, so it is no part of `slackwater bench`: run it as a module, for example

    python -m benchmarks.drop_ratio --sets poisson,nezha --targets .01,.001 --controllers default,NormalDelay

Every cell goes to a file of JSON lines as soon as it is known, and a cell that the file has is not run again: stop it
at any time and go on later. Nothing tells the file that the code has changed: then give another one with --results.

The share late is measured over a period at every adaptation interval, once the first period is over. `hindsight` is the
smallest constant slack that keeps every measurement; the ratio compares with the one that keeps as many as the
controller did. `Algorithm1` is KIM's, with the buffer that counts events: its slack is the one that holds as many.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import slackwater as sw
from benchmarks.cells import Cell, Figures, cells_of, in_ms, run_missing, set_by_set, table_of
from benchmarks.growing_file import RESULTS
from slackwater.contracts import ControllerConfig
from slackwater.control import AdaptiveMax, MaxDelay, NeededSlack, NormalDelay
from slackwater.errors import DatasetError
from slackwater.experiments.counted import run_counted
from slackwater.experiments.drops import run
from slackwater.experiments.event_stream import EventStream, stream_of_dataset
from slackwater.models.drop_ratio import slack_holding
from slackwater.quality.drop_ratio import drops, measured_at, smallest_slack
from slackwater.quality.recall import after_first_period
from slackwater.time import Duration, Mask, delay_of

GROUPS = {
    "poisson": [f"poisson-{deviation}" for deviation in range(1, 6)],
    "changing": [f"changing-{every}" for every in (1, 3, 5)],
}
SETS = "poisson,changing,nezha,zeek,flights,umts"
TARGETS = ".05,.01,.005,.001"
CONTROLLERS = "default,NormalDelay,AdaptiveMax,MaxSlack,hindsight"
HEADS = (
    "set", "D", "controller", "dropped", "periods kept", "worst period", "average slack (ms)", "mean wait (ms)",
    "hindsight (ms)", "ratio",
)  # fmt: skip


def main(
    sets: Annotated[str, typer.Option(help="Streams, or poisson and changing for all of these.")] = SETS,
    targets: Annotated[str, typer.Option(help="Shares that may be late.")] = TARGETS,
    controllers: Annotated[str, typer.Option(help=f"Of {CONTROLLERS}, and more: see POLICIES.")] = CONTROLLERS,
    seed: Annotated[int, typer.Option(help="Of the generated streams.")] = 1,
    duration: Annotated[str | None, typer.Option(help="How much of each set; all of it unless given.")] = None,
    results: Annotated[Path, typer.Option(help="Where cells are kept.")] = RESULTS / "drop-ratio.jsonl",
) -> None:
    """Run the cells that are missing, and print all that were asked for as a table in Markdown."""
    names = [name for given in sets.split(",") for name in GROUPS.get(given, [given])]
    wanted = cells_of(names, targets, controllers, seed=seed, duration=duration)
    print(table(run_missing(results, wanted, _run, _line)))
    print(f"\n{len(wanted)} cells, kept in {results}", file=sys.stderr)


def _run(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Figures]]:
    def load(cell: Cell) -> EventStream:
        return stream_of_dataset(cell.set, seed=cell.seed, duration=cell.duration)

    return set_by_set(cells, load, measure)


@dataclass(frozen=True)
class Ran:
    """What a controller made of a stream; durations in us."""

    late: Mask
    slack: float
    wait: float


def measure(stream: EventStream, cell: Cell) -> Figures:
    """Return the figures of one cell; durations in us."""
    if not len(measured_at(stream.clock, **_spans(stream))):
        remedy = "take more of it"
        raise DatasetError(cell.set, problem=f"ends within the first period of {stream.setting.period}", remedy=remedy)
    ran = POLICIES[cell.controller](stream, cell.target)
    found = drops(stream.clock, ran.late, **_spans(stream), target=cell.target)
    best = smallest_slack(stream.clock, stream.needed, **_spans(stream), target=cell.target, share=found.kept or 1e-9)
    return {
        **asdict(found),
        "average_slack_us": ran.slack,
        "mean_wait_us": ran.wait,
        "hindsight_us": best,
        "ratio": ran.slack / best if best else None,
    }


def _reorder(stream: EventStream, target: float, controller: ControllerConfig | None) -> Ran:
    """Run a contract in process, and find out what was late and how long events were held."""
    setting = stream.setting
    contract = sw.DropRatio(target, over=setting.period, adaptation_interval=setting.every, controller=controller)
    ran = run(stream, contract)
    start, period = int(stream.clock[0]), _spans(stream)["period"]
    held = float(ran.buffered[after_first_period(ran.at, start, period)].mean())
    # Little's law: how long they wait is how many wait times the gap
    return Ran(ran.late, ran.average_slack(start, period), held * _gap(stream))


def _spans(stream: EventStream) -> dict[str, int]:
    """Return the period, and how often it is measured, in us."""
    return {name: Duration.of(getattr(stream.setting, name)).microseconds for name in ("period", "every")}


def _gap(stream: EventStream) -> float:
    """Return how far events are apart; intervals without any are silences, which do not count."""
    every = _spans(stream)["every"]
    return float(len(np.unique(stream.clock // every)) * every / len(stream.clock))


def _hindsight(stream: EventStream, target: float) -> Ran:
    slack = smallest_slack(stream.clock, stream.needed, **_spans(stream), target=target) or 0
    return _reorder(stream, target, sw.control.Fixed(Duration(slack)))


def _normal(stream: EventStream, target: float, **options: Any) -> Ran:
    return _reorder(stream, target, NormalDelay(samples=stream.setting.samples, **options))


def _algorithm_1(stream: EventStream, target: float, **options: Any) -> Ran:
    """KIM's own buffer. Where no times of arrival are known, the clock stands in for them."""
    arrival = stream.clock if stream.arrival_time is None else stream.arrival_time
    config = NormalDelay(samples=stream.setting.samples, **options)
    run = run_counted(stream.events.time, arrival, target, config)
    slack = slack_holding(run.average_capacity * _gap(stream), delay_of(stream.events.time, stream.clock))
    counts = after_first_period(stream.clock, int(stream.clock[0]), _spans(stream)["period"])[~run.dropped]
    return Ran(run.dropped, slack, float(run.waits(arrival)[counts].mean()))


POLICIES: Mapping[str, Callable[[EventStream, float], Ran]] = {
    "default": partial(_reorder, controller=None),
    "needed": partial(_reorder, controller=NeededSlack(tolerance=0)),
    "NormalDelay": _normal,  # at .001 that is AdaptiveMax
    "NormalDelay-alone": partial(_normal, small_targets=None),
    "NormalDelay-exact": partial(_normal, small_targets=None, equation="exact"),
    "Algorithm1": _algorithm_1,
    "Algorithm1-12": partial(_algorithm_1, equation="12"),
    "Algorithm1-exact": partial(_algorithm_1, equation="exact", floor=1),
    "AdaptiveMax": partial(_reorder, controller=AdaptiveMax()),
    "AdaptiveMax-1000": partial(_reorder, controller=AdaptiveMax(window=1_000)),
    "AdaptiveMax-100": partial(_reorder, controller=AdaptiveMax(window=100)),
    "MaxSlack": partial(_reorder, controller=MaxDelay()),
    "hindsight": _hindsight,
}


def table(cells: dict[Cell, Figures]) -> str:
    """Return a row for each cell."""
    return table_of(HEADS, cells, _shown)


def _shown(figures: Figures) -> tuple[str, ...]:
    return (
        f"{figures['share']:.3%}",
        f"{figures['kept']:.1%}",
        f"{figures['worst']:.2%}",
        *(in_ms(figures[name]) for name in ("average_slack_us", "mean_wait_us", "hindsight_us")),
        "-" if figures["ratio"] is None else f"{figures['ratio']:.2f}",
    )


def _line(cell: Cell, figures: Figures) -> str:
    dropped, kept, worst, slack, *_, ratio = _shown(figures)
    return f"{cell.set} D {cell.target:g} {cell.controller}: {dropped}, kept {kept}, worst {worst}, {slack} ms, {ratio}"


if __name__ == "__main__":
    typer.run(main)
