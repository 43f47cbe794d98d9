"""How well recall contracts are kept, and at what slack: data sets x seeds x targets x controllers.

Not a ratio of times, so it is no part of `slackwater bench`: run it as a module, for example

    python -m benchmarks.join_recall --sets syn3,soccer --seeds 1,2 --targets 0.95,0.99 --controllers needed

Every cell goes to a file of JSON lines as soon as it is known, and a cell that the file has is not run again: stop it
at any time and go on later. The table is made from all cells of the file that were asked for. Nothing tells the file
that the code has changed: then give another one with --results.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.cells import Cell, markdown, run_missing, without
from benchmarks.growing_file import RESULTS
from slackwater.contracts import MaxSlack
from slackwater.experiments.comparison import Run, hindsight_of
from slackwater.experiments.queries import QUERIES
from slackwater.experiments.replay import Replay
from slackwater.experiments.subject import subject_of_dataset
from slackwater.plan.contract_text import parse_contract
from slackwater.sources.catalog import GENERATED

SETS = ",".join(QUERIES)
SEEDS = "1,2,3,4,5"
TARGETS = "0.8,0.9,0.95,0.99,0.999"
CONTROLLERS = "needed,model-search,model-search-eq-uncalibrated"

HEADS = (
    "set", "Γ", "controller", "seeds", "Φ(Γ)", "worst", "Φ(.99Γ)", "worst",
    "average slack (s)", "hindsight (s)", "ratio", "worst", "MaxSlack (s)",
)  # fmt: skip


def main(
    sets: Annotated[str, typer.Option(help="Data sets.")] = SETS,
    seeds: Annotated[str, typer.Option(help="Of the generated sets.")] = SEEDS,
    targets: Annotated[str, typer.Option(help="Recalls to be reached.")] = TARGETS,
    controllers: Annotated[str, typer.Option(help="As contracts name them.")] = CONTROLLERS,
    duration: Annotated[str | None, typer.Option(help="How much of each set; all of it unless given.")] = None,
    results: Annotated[Path, typer.Option(help="Where cells are kept.")] = RESULTS / "join-recall.jsonl",
) -> None:
    """Run the cells that are missing, and print all that were asked for as a table in Markdown."""
    wanted = list(_cells(sets.split(","), seeds.split(","), targets.split(","), controllers.split(","), duration))
    known = run_missing(results, wanted, _run, _line)
    print(table(known))
    print(f"\n{len(wanted)} cells, kept in {results}", file=sys.stderr)


def _cells(
    sets: Sequence[str], seeds: Sequence[str], targets: Sequence[str], controllers: Sequence[str], duration: str | None
) -> Iterator[Cell]:
    """Yield the cells so that those of the same streams come together: they share runs."""
    for name in sets:
        for seed in seeds if name in GENERATED else ["1"]:
            for target, controller in product(targets, controllers):
                yield Cell(name, int(seed), float(target), controller, duration)


def _run(cells: Sequence[Cell]) -> Iterator[tuple[Cell, dict[str, Any]]]:
    replay: Replay | None = None
    of: tuple[str, int] | None = None
    for cell in cells:
        if replay is None or of != (cell.set, cell.seed):
            of = cell.set, cell.seed
            replay = Replay(subject_of_dataset(cell.set, seed=cell.seed, duration=cell.duration))
        yield cell, measure(replay, cell)


def measure(replay: Replay, cell: Cell) -> dict[str, Any]:
    """Return the figures of one cell; durations in us."""
    query = replay.subject.query
    text = f"recall {cell.target} by {cell.controller}"
    contract = parse_contract(text, over=query.period, every=query.adaptation_interval)
    goal = contract.goal()
    run = Run(cell.controller, "contract", goal, replay.measure(contract, goal.period))
    best = hindsight_of(replay, run)
    longest = replay.measure(MaxSlack(adaptation_interval=contract.interval), goal.period)
    hindsight = None if best is None else best.result.average_slack
    own = without(run.figures(), {"policy", "kind", "target", "smallest"})
    return {
        **own,
        "hindsight_us": hindsight,
        "hindsight_smallest": best is not None and best.smallest,
        "ratio": own["average_slack_us"] / hindsight if hindsight else None,
        "max_slack_us": longest.average_slack,
    }


def table(cells: dict[Cell, dict[str, Any]]) -> str:
    """Return a row for each set, target and controller: the median over the seeds, and the worst of them."""
    rows: list[tuple[str, ...]] = [HEADS]
    for name, target, controller in dict.fromkeys((cell.set, cell.target, cell.controller) for cell in cells):
        key = (name, target, controller)
        same = [figures for cell, figures in cells.items() if key == (cell.set, cell.target, cell.controller)]
        rows.append((name, f"{target:g}", controller, str(len(same)), *_summary(same)))
    return markdown(rows)


def _summary(same: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    phi, nearly = ([figures[name] for figures in same] for name in ("phi", "phi_nearly"))
    ratios = [figures["ratio"] for figures in same if figures["ratio"] is not None]
    seconds = [[f[name] / 1e6 for f in same if f[name] is not None] for name in ("average_slack_us", "hindsight_us")]
    longest = [figures["max_slack_us"] / 1e6 for figures in same]
    return (
        *(f"{value:.1%}" for each in (phi, nearly) for value in (statistics.median(each), min(each))),
        *(_median(each) for each in seconds),
        _median(ratios),
        f"{max(ratios):.3g}" if ratios else "-",
        _median(longest),
    )


def _median(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.3g}" if values else "-"


def _line(cell: Cell, figures: dict[str, Any]) -> str:
    ratio = "-" if figures["ratio"] is None else f"{figures['ratio']:.2f}"
    return (
        f"{cell.set} seed {cell.seed} Γ {cell.target:g} {cell.controller}: Φ(Γ) {figures['phi']:.4f} "
        f"Φ(.99Γ) {figures['phi_nearly']:.4f} slack {figures['average_slack_us'] / 1e6:.4f} s ratio {ratio}"
    )


if __name__ == "__main__":
    typer.run(main)
