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
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import typer

import slackwater as sw
from benchmarks.cells import Figures, markdown, run_missing
from benchmarks.harness import RESULTS
from slackwater.contracts import ControllerConfig
from slackwater.control import AdaptiveMax, MaxDelay, NeededSlack, NormalDelay
from slackwater.core.arrivals import Arrivals
from slackwater.core.event_needs import slack_needed
from slackwater.errors import DatasetError
from slackwater.events import Events
from slackwater.experiments.counted import run_counted
from slackwater.models.drop_ratio import slack_holding
from slackwater.quality.drop_ratio import drops, measured_at, smallest_slack
from slackwater.quality.latency import average_slack
from slackwater.quality.recall import after_first_period
from slackwater.sources import load
from slackwater.sources.dataset import event_times_of
from slackwater.sources.poisson import poisson, poisson_changing
from slackwater.time import Duration, Mask, Times, delay_of


@dataclass(frozen=True)
class Setting:
    """Over what a set is measured, how often its slack is decided, and how many samples KIM's estimates take (M).

    A period has to have some events that may be late: 1 / target of them and more.
    """

    period: str
    every: str
    samples: int


KIM = Setting("1 second", "100 ms", 1_000)  # 10,000 events a second; 100 ms are the 1,000 arrivals of P_e
CHANGING = Setting("1 second", "100 ms", 100)
SETTINGS = {
    **{f"poisson-{sigma}": KIM for sigma in range(1, 6)},  # delays deviate by so many ms
    **{f"changing-{every}": CHANGING for every in (1, 3, 5)},  # mean and deviation are new every so many seconds
    "nezha": Setting("1 minute", "1 second", 100),  # spans of both days, thousands a minute
    "zeek": Setting("5 minutes", "5 seconds", 100),  # all logs as one stream, 37,000 in 5 minutes; half are in bursts
    "flights": Setting("1 week", "2 hours", 100),  # departures, 6,300 a week
    "umts": Setting("1 minute", "1 second", 100),  # all devices as one stream, 940 a minute: at .001 none may be late
}
GROUPS = {
    "poisson": [name for name in SETTINGS if name.startswith("poisson")],
    "changing": [name for name in SETTINGS if name.startswith("changing")],
}
STREAMS = {"nezha": "spans", "flights": "departures"}  # of the others all streams as one
SETS = "poisson,changing,nezha,zeek,flights,umts"
TARGETS = ".05,.01,.005,.001"
CONTROLLERS = "default,NormalDelay,AdaptiveMax,MaxSlack,hindsight"
HEADS = (
    "set", "D", "controller", "dropped", "periods kept", "worst period", "average slack (ms)", "mean wait (ms)",
    "hindsight (ms)", "ratio",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One entry of the matrix."""

    set: str
    target: float
    controller: str
    seed: int
    duration: str | None
    version: str = sw.__version__


@dataclass(frozen=True)
class Subject:
    """A stream in arrival order, and what its events need."""

    name: str
    time: Times
    arrival_time: Times | None
    clock: Times
    needed: Times

    @property
    def setting(self) -> Setting:
        """How it is measured."""
        return SETTINGS[self.name]

    @property
    def spans(self) -> dict[str, int]:
        """The period, and how often it is measured, in us."""
        return {name: Duration.of(getattr(self.setting, name)).microseconds for name in ("period", "every")}


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
    wanted = [
        Cell(name, float(target), controller, seed, duration)
        for name, target, controller in product(names, targets.split(","), controllers.split(","))
    ]
    print(table(run_missing(results, wanted, _run, _line)))
    print(f"\n{len(wanted)} cells, kept in {results}", file=sys.stderr)


def _run(cells: Sequence[Cell]) -> Iterator[tuple[Cell, Figures]]:
    subject: Subject | None = None
    for cell in cells:
        if subject is None or subject.name != cell.set:
            subject = load_subject(cell.set, seed=cell.seed, duration=cell.duration)
        yield cell, measure(subject, cell)


def load_subject(name: str, *, seed: int, duration: str | None) -> Subject:
    """Load a stream, and find what its events need."""
    kind, _, number = name.partition("-")
    length: dict[str, Any] = {} if duration is None else {"duration": duration}
    if kind == "poisson":
        dataset = poisson(deviation=f"{number} ms", seed=seed, **length)
    elif kind == "changing":
        dataset = poisson_changing(every=f"{number} seconds", seed=seed, **length)
    else:
        dataset = load(name, **length)
    table = dataset.streams["s"] if number else _one_stream(name, dataset)
    time = event_times_of(table)
    arrival_time = table["arrival_time"].cast(pa.int64()).to_numpy() if "arrival_time" in table.column_names else None
    arrivals = Arrivals.after(None, Events.of(time))
    return Subject(name, time, arrival_time, arrivals.clock, slack_needed(arrivals))


def _one_stream(name: str, dataset: Any) -> pa.Table:
    return dataset.streams[STREAMS[name]] if name in STREAMS else dataset.merged()


@dataclass(frozen=True)
class Ran:
    """What a controller made of a stream; durations in us."""

    late: Mask
    slack: float
    wait: float


def measure(subject: Subject, cell: Cell) -> Figures:
    """Return the figures of one cell; durations in us."""
    if not len(measured_at(subject.clock, **subject.spans)):
        remedy = "take more of it"
        raise DatasetError(cell.set, problem=f"ends within the first period of {subject.setting.period}", remedy=remedy)
    ran = POLICIES[cell.controller](subject, cell.target)
    found = drops(subject.clock, ran.late, **subject.spans, target=cell.target)
    best = smallest_slack(subject.clock, subject.needed, **subject.spans, target=cell.target, share=found.kept or 1e-9)
    return {
        **asdict(found),
        "average_slack_us": ran.slack,
        "mean_wait_us": ran.wait,
        "hindsight_us": best,
        "ratio": ran.slack / best if best else None,
    }


def _reorder(subject: Subject, target: float, controller: ControllerConfig | None) -> Ran:
    """Run a contract in process, and find out what was late and how long events were held."""
    setting = subject.setting
    rows = pa.table({"time": subject.time, "row": np.arange(len(subject.time))})
    contract = sw.DropRatio(target, over=setting.period, adaptation_interval=setting.every, controller=controller)
    source = sw.stream(rows, event_time="time", unit="us", max_ahead=None)
    return _ran(subject, sw.reorder(source, contract=contract))


def _ran(subject: Subject, out: Any) -> Ran:
    late = np.zeros(len(subject.time), np.bool_)
    late[out.late["row"].to_numpy()] = True
    decisions = out.decisions[:-1]
    at = decisions["at"].cast(pa.int64()).to_numpy()
    counts = after_first_period(at, int(subject.clock[0]), subject.spans["period"])
    slack = average_slack(at[counts], decisions["slack"].to_numpy()[counts], int(at[-1])).over_adaptations
    held = float(decisions["buffered"].to_numpy()[counts].mean())
    return Ran(late, slack, held * _gap(subject))  # Little's law: how long they wait is how many wait times the gap


def _gap(subject: Subject) -> float:
    """Return how far events are apart; intervals without any are silences, which do not count."""
    every = subject.spans["every"]
    return float(len(np.unique(subject.clock // every)) * every / len(subject.clock))


def _hindsight(subject: Subject, target: float) -> Ran:
    slack = smallest_slack(subject.clock, subject.needed, **subject.spans, target=target) or 0
    return _reorder(subject, target, sw.control.Fixed(Duration(slack)))


def _normal(subject: Subject, target: float, **options: Any) -> Ran:
    return _reorder(subject, target, NormalDelay(samples=subject.setting.samples, **options))


def _algorithm_1(subject: Subject, target: float, **options: Any) -> Ran:
    """KIM's own buffer. Where no times of arrival are known, the clock stands in for them."""
    arrival = subject.clock if subject.arrival_time is None else subject.arrival_time
    config = NormalDelay(samples=subject.setting.samples, **options)
    run = run_counted(subject.time, arrival, target, config)
    slack = slack_holding(run.average_capacity * _gap(subject), delay_of(subject.time, subject.clock))
    counts = after_first_period(subject.clock, int(subject.clock[0]), subject.spans["period"])[~run.dropped]
    return Ran(run.dropped, slack, float(run.waits(arrival)[counts].mean()))


POLICIES = {
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
    rows = [(cell.set, f"{cell.target:g}", cell.controller, *_shown(figures)) for cell, figures in cells.items()]
    return markdown([HEADS, *rows])


def _shown(figures: Figures) -> tuple[str, ...]:
    return (
        f"{figures['share']:.3%}",
        f"{figures['kept']:.1%}",
        f"{figures['worst']:.2%}",
        *(_ms(figures[name]) for name in ("average_slack_us", "mean_wait_us", "hindsight_us")),
        "-" if figures["ratio"] is None else f"{figures['ratio']:.2f}",
    )


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value / 1_000:,.4g}"


def _line(cell: Cell, figures: Figures) -> str:
    dropped, kept, worst, slack, *_, ratio = _shown(figures)
    return f"{cell.set} D {cell.target:g} {cell.controller}: {dropped}, kept {kept}, worst {worst}, {slack} ms, {ratio}"


if __name__ == "__main__":
    typer.run(main)
