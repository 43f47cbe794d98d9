"""How accurate early results are: arrivals x aggressiveness x windows, raw (PROD Sec. 4.4) and corrected.

Not a ratio of times, so it is no part of `slackwater bench`: run it as a module, for example

    python -m benchmarks.early_accuracy --arrivals document,skewed --aggressiveness .1,.5 --slides 10,30

One table for each function: mean accuracy (the worst window) of the raw and of the corrected value, which share of the
nominal 90 % intervals held the final value, and their median width in relation to it. `known rate` is the mean accuracy
that somebody who knows the rate can reach for a count.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.cells import markdown
from benchmarks.growing_file import RESULTS
from slackwater.experiments.early_accuracy import DOCUMENT, EarlyCase, run_case, summarize
from slackwater.sources.shapes import SHAPES

HEADS = ("arrivals", "windows", "early by", "raw", "corrected", "known rate", "interval held", "width")


def main(
    arrivals: Annotated[str, typer.Option(help="Shapes of arrivals.")] = ",".join((DOCUMENT, *SHAPES)),
    slides: Annotated[str, typer.Option(help="Of windows of 30 s, in seconds; 30 tumbles.")] = "10,30",
    aggressiveness: Annotated[str, typer.Option(help="Shares of the slide.")] = ".1,.3,.5",
    functions: Annotated[str, typer.Option(help="Of count, sum, mean, max, min, variance.")] = "mean,max,sum,count",
    distribution: Annotated[str, typer.Option(help="Of values: uniform or normal.")] = "uniform",
    deviation: Annotated[float, typer.Option(help="Of normal values around 500.")] = 400.0,
    per_second: Annotated[float, typer.Option(help="Events.")] = 20.0,
    duration: Annotated[str, typer.Option(help="Of each stream.")] = "2000 seconds",
    seeds: Annotated[int, typer.Option(help="How many streams each figure is over.")] = 3,
    first_seed: Annotated[int, typer.Option(help="Of these streams.")] = 1,
    results: Annotated[Path, typer.Option(help="Where figures are kept.")] = RESULTS / "early-accuracy.jsonl",
) -> None:
    """Run every case, keep its figures, and print tables in Markdown."""
    cases = [
        EarlyCase(shape, int(slide), float(early), distribution, deviation, per_second)
        for slide, shape, early in product(slides.split(","), arrivals.split(","), aggressiveness.split(","))
    ]
    figures = {case: _figures(case, range(first_seed, first_seed + seeds), duration) for case in cases}
    results.parent.mkdir(parents=True, exist_ok=True)
    with results.open("a", encoding="utf-8") as file:
        for case, rows in figures.items():
            file.writelines(
                json.dumps({**vars(case), "duration": duration, "first_seed": first_seed, **row}) + "\n" for row in rows
            )
    for function in functions.split(","):
        shown = [_shown(case, row) for case, found in figures.items() for row in found if row["function"] == function]
        print(f"\n{function}\n\n{markdown([HEADS, *shown])}")


def _figures(case: EarlyCase, seeds: range, duration: str) -> list[dict[str, Any]]:
    """Return a row for each function, over all seeds."""
    runs = [summarize(run_case(case, seed=seed, duration=duration), case) for seed in seeds]
    return [_over_seeds(rows) for rows in zip(*runs, strict=True)]


def _over_seeds(rows: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    worst = {name: min(row[name] for row in rows) for name in ("raw_worst", "corrected_worst")}
    means = {name: float(np.mean([row[name] for row in rows])) for name in ("raw", "corrected", "held", "width")}
    known = rows[0]["known_rate"] and float(np.mean([row["known_rate"] for row in rows]))
    return {"function": rows[0]["function"], "seeds": len(rows), "known_rate": known, **means, **worst}


def _shown(case: EarlyCase, row: dict[str, Any]) -> tuple[str, ...]:
    windows = "tumbling" if case.slide == case.size else f"every {case.slide} s"
    accuracies = (f"{row[name]:.2%} ({row[f'{name}_worst']:.1%})" for name in ("raw", "corrected"))
    known = "-" if row["known_rate"] is None else f"{row['known_rate']:.2%}"
    early = f"{case.aggressiveness:.0%}"
    return (case.arrivals, windows, early, *accuracies, known, f"{row['held']:.1%}", f"{row['width']:.2%}")


if __name__ == "__main__":
    typer.run(main)
