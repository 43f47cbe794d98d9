"""Who is late because of a burst: rows as they came, rows of bursts set aside, and a stream without its bursts.

Not a ratio of times, so it is no part of `slackwater bench`: run it as a module, for example

    python -m benchmarks.bursts --first-seed 4 --seeds 3

The first table is PROD Fig. 6.3 in numbers: how long after their end windows were final, in seconds of the machine of
`experiments/bursts.py`, which takes in 300 rows a second. The second is Table 4.3: early results of windows that were
not final a second after their end, with prods every second and nothing set aside, over longer and longer streams.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.cells import markdown
from benchmarks.growing_file import RESULTS
from slackwater.experiments.bursts import BurstCase, Written, run_burst
from slackwater.sideline import Sideline

WAYS = {
    "as they came": BurstCase(),
    "as they came, prodded": BurstCase(prods=True),
    "without the bursts": BurstCase(calm=True),
    **{
        f"set aside over {over}, pace {pace}, 1 in {one_in}": BurstCase(
            sideline=Sideline(over=over, pace=pace, one_in=one_in)
        )
        for over, pace, one_in in ((330, 250, 100), (330, 290, 50), (400, 290, 10), (400, 290, 3))
    },
}
HEADS = ("rows", "windows", "of bursts: mean", "max", "others: mean", "95 %", "max", "shown early", "others of them")
HEADS_EARLY = ("stream", "shown early", "accuracy", "latency gain")


def main(
    seeds: Annotated[int, typer.Option(help="How many streams each figure is over.")] = 3,
    first_seed: Annotated[int, typer.Option(help="Of these streams; settings were chosen on 1.")] = 4,
    results: Annotated[Path, typer.Option(help="Where figures are kept.")] = RESULTS / "bursts.jsonl",
) -> None:
    """Run every way, keep its figures, and print two tables in Markdown."""
    numbers = range(first_seed, first_seed + seeds)
    figures = [
        {"rows": way, "windows": f"{size} s", **_late(_runs(replace(case, size=size), numbers))}
        for size in (1, 5)
        for way, case in WAYS.items()
    ]
    early = [
        {"stream": name, **_early(_runs(BurstCase(prods=True, duration=f"{seconds} seconds"), numbers))}
        for name, seconds in (("Burst 1", 90), ("Burst 2", 180), ("Burst 4", 360))
    ]
    results.parent.mkdir(parents=True, exist_ok=True)
    config = {"first_seed": first_seed, "seeds": seeds, "per_second": asdict(BurstCase())["per_second"]}
    with results.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({**config, **row}) + "\n" for row in (*figures, *early))
    for heads, rows in ((HEADS, figures), (HEADS_EARLY, early)):
        print(markdown([heads, *(tuple(map(_shown, row.values())) for row in rows)]), end="\n\n")


def _runs(case: BurstCase, seeds: range) -> list[Written]:
    return [run_burst(replace(case, seed=seed)) for seed in seeds]


def _late(runs: list[Written]) -> dict[str, Any]:
    latency, bursty, early = (
        np.concatenate([getattr(run, name) for run in runs]) for name in ("latency", "bursty", "was_early")
    )
    others = latency[~bursty]
    return {
        "bursts_mean": float(latency[bursty].mean()),
        "bursts_max": float(latency[bursty].max()),
        "others_mean": float(others.mean()),
        "others_95": float(np.quantile(others, 0.95)),
        "others_max": float(others.max()),
        "early": f"{early.sum() / len(runs):.1f} of {len(latency) / len(runs):.0f}",
        "others_early": float((early & ~bursty).sum() / len(runs)),
    }


def _early(runs: list[Written]) -> dict[str, Any]:
    latency, first, accuracy, early = (
        np.concatenate([getattr(run, name) for run in runs]) for name in ("latency", "first", "accuracy", "was_early")
    )
    return {
        "early": f"{early.sum() / len(runs):.1f} of {len(latency) / len(runs):.0f}",
        "accuracy": f"{accuracy[early].mean():.2%}",
        "gain": float((latency - first)[early].mean()),
    }


def _shown(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    typer.run(main)
