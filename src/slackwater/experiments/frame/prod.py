"""What the experiments of PROD Sec. 4 share: accuracy of early results, and when early and final ones are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from slackwater.core.panes import Panes
from slackwater.estimate.arrays import Floats
from slackwater.estimate.early_accuracy import accuracy_of
from slackwater.events import Rows as Numbers
from slackwater.experiments.early_accuracy import SECOND, SKIPPED, EarlyCase, panes_of, stream_of
from slackwater.experiments.frame.claims import POINTS, Claim, Judged
from slackwater.experiments.frame.description import Cell, Column, Config, Experiment, Plot, Row, grid
from slackwater.experiments.frame.rows import MissingRowsError, Rows
from slackwater.experiments.prod_rows import VALUES, early_and_final, with_prods
from slackwater.sources.dataset import event_times_of
from slackwater.time import Times, running_clock

RAW, CORRECTED = "as it is (PROD)", "corrected (ours)"
_ESTIMATES: dict[str, Literal["raw", "corrected"]] = {RAW: "raw", CORRECTED: "corrected"}
FUNCTIONS = tuple(VALUES)
SMOKE_WINDOWS = 32
LINEAR = 0.99  # a correlation from which on points lie on a line
FINE = 0.005  # near enough for accuracies of 99 % and more, of which the document prints two decimals

ACCURACY = Column("accuracy", "average accuracy", "%")
WORST = Column("worst", "worst accuracy", "%")
GAIN = Column("gain", "latency gain", "%")
_X = Column("aggressiveness", "aggressiveness (share of the slide)")


class Latencies(NamedTuple):
    """For each window, from the arrival of its first event to its early and its final result, in s."""

    early: Floats
    final: Floats


def latencies(
    windows: Numbers, times: Times, arrived: Times, panes: Panes, prodded: Callable[[Times], Times]
) -> Latencies:
    """Return when results are there: final ones as the clock comes to the end, early ones when `prodded` says."""
    clock, ends = running_clock(times, None), panes.ends(windows)
    first, closing = (arrived[np.searchsorted(clock, moment)] for moment in (ends - panes.size, ends))
    return Latencies((prodded(ends) - first) / 1e6, (closing - first) / 1e6)


def arrivals_of(stream: pa.Table) -> Times:
    """Return when each event arrived, in us."""
    return np.asarray(stream["arrival_time"].cast(pa.int64()).to_numpy(), np.int64)


def run_accuracy(cell: Cell) -> Iterator[Row]:
    """Prod every window once; a row for each function, raw and corrected."""
    case = EarlyCase(
        slide=cell["slide"],
        aggressiveness=cell["aggressiveness"],
        distribution=cell["distribution"],
        deviation=cell["deviation"],
    )
    stream, panes = stream_of(case, seed=cell.seed, duration=cell["duration"]), panes_of(case)
    lead = int(case.aggressiveness * panes.slide) + SECOND  # when a prod acts: docs/DOCUMENTS.md
    times = event_times_of(stream)
    rows = with_prods(times, stream["value"].to_numpy().astype(np.float64), panes, lead)
    for policy, estimate in _ESTIMATES.items():
        run = early_and_final(rows, panes, estimate=estimate, engine=cell.engine)
        counts = run.window >= run.window[0] + SKIPPED
        gain = _gain(run.window, times, arrivals_of(stream), panes, lead)
        for function, accuracy in zip(VALUES, accuracy_of(run.early, run.final)[:, counts], strict=True):
            named = {"function": function, "policy": policy, "gain": gain}
            yield {**named, "accuracy": float(np.nanmean(accuracy)), "worst": float(np.nanmin(accuracy))}


def _gain(windows: Numbers, times: Times, arrived: Times, panes: Panes, lead: int) -> float:
    """Return the average share of the latency that prods save; they act as the clock comes to their second."""

    def prodded(ends: Times) -> Times:
        return arrived[np.searchsorted(running_clock(times, None), ends - lead)]

    found = latencies(windows, times, arrived, panes, prodded)
    return float(1 - found.early.mean() / found.final.mean())


def linear(metric: str, functions: tuple[str, ...], *, falls: bool = False) -> Callable[[Rows], Judged]:
    """Return a check of whether a metric lies on a line over the aggressiveness, for each of these functions."""

    def check(rows: Rows) -> Judged:
        found = []
        for function in functions:
            chosen = rows.where(function=function, policy=RAW)
            degrees = sorted(chosen.distinct("aggressiveness"))
            if len(degrees) < 3:
                raise MissingRowsError(metric)
            means = [chosen.where(aggressiveness=degree).mean(metric) for degree in degrees]
            found.append(float(np.corrcoef(degrees, means)[0, 1]) * (-1 if falls else 1))
        return Judged(f"correlation of at least {min(found):.3f}", min(found) >= LINEAR)

    return check


def fall(rows: Rows, function: str) -> float:
    """Return by how much the average accuracy falls from the mildest to the most aggressive prods."""
    chosen = rows.where(function=function, policy=RAW)
    degrees = sorted(chosen.distinct("aggressiveness"))
    if len(degrees) < 2:
        raise MissingRowsError(function)
    first, last = (chosen.where(aggressiveness=degree).mean("accuracy") for degree in (degrees[0], degrees[-1]))
    return first - last


def _no_worse(rows: Rows) -> Judged:
    """Compare corrected counts and sums with raw ones at every degree."""
    raw, corrected = (rows.where(policy=policy, function=("count", "sum")) for policy in (RAW, CORRECTED))
    better = [
        corrected.where(aggressiveness=degree).mean("accuracy") - raw.where(aggressiveness=degree).mean("accuracy")
        for degree in rows.distinct("aggressiveness")
    ]
    return Judged(f"by {100 * min(better):.1f} to {100 * max(better):.1f} points", min(better) >= 0)


NO_WORSE = Claim("(ours) corrected counts and sums are more accurate at every degree", "our aim", _no_worse)
FALL_ON_A_LINE = Claim(
    "the accuracy of Sum and Count degrades linearly",
    "Sec. 4.4.2",
    linear("accuracy", ("sum", "count"), falls=True),
)


def similar(gaps: Sequence[float]) -> Judged:
    """Judge whether accuracies that are so far apart look similar."""
    return Judged(f"at most {100 * max(gaps):.2g} points apart", max(gaps) <= POINTS)


def plot(heading: str, y: Column, panels: tuple[str, ...] = ("policy",)) -> Plot:
    """Return an accuracy over the aggressiveness, a line for each function."""
    caption = "Over how early windows are prodded, as they are and corrected."
    return Plot(heading=heading, caption=caption, x=_X, y=y, lines=("function",), panels=panels)


PLOTS = (
    plot("Average accuracy of early results", ACCURACY),
    Plot(heading="Latency gain", caption="The same for all functions.", x=_X, y=GAIN),
)
ABOUT = (
    "PROD's generator: whole seconds, 20 events a second on average, windows of 30 s that slide by 10 s; prods act one "
    "second before the events of their second, as the document's numbers ask for. Without the first 20 windows. Beside "
    "what the document shows, our corrected estimates."
)


def accuracy_over_aggressiveness(
    section: str,
    title: str,
    about: str,
    claims: tuple[Claim, ...],
    *,
    distribution: str = "normal",
    deviations: Sequence[int] = (400,),
    slide: int = 10,
    table: tuple[Column, ...] = (ACCURACY, GAIN),
    plots: tuple[Plot, ...] = PLOTS,
) -> Experiment:
    """Return an experiment with streams of 2,000 s; the small scale has fewer degrees of aggressiveness."""

    def cells(duration: str, deviations: Sequence[int], degrees: Sequence[float]) -> list[Config]:
        fixed = {"set": "values", "duration": duration, "slide": slide, "distribution": distribution}
        return [{**fixed, **each} for each in grid(deviation=deviations, aggressiveness=degrees)]

    return Experiment(
        document="PROD",
        section=section,
        title=title,
        about=f"{about} {ABOUT}",
        grids={
            "smoke": cells(f"{SMOKE_WINDOWS * slide} seconds", deviations[-1:], (0.1, 0.5)),
            "small": cells("2000 seconds", deviations, (0.1, 0.3, 0.5)),
            "paper": cells("2000 seconds", deviations, (0.1, 0.2, 0.3, 0.4, 0.5)),
        },
        run=run_accuracy,
        claims=claims,
        table=table,
        plots=plots,
    )
