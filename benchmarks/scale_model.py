"""What more executors would give: batches of several sizes with one and two, whose time it was, and a model of both.

Not a ratio of times, so it is no part of `slackwater bench`: run it as a module, from the root of the repository:

    python -m benchmarks.scale_model

Runs are added to benchmarks/results/scale_model.jsonl, from which `--again` prints the tables without running.
The first batch of a run is left out: it makes the query.
"""

from __future__ import annotations

import json
from statistics import median
from typing import Annotated, Any

import numpy as np
import typer

from benchmarks.cells import markdown
from benchmarks.growing_file import RESULTS
from benchmarks.scale_out import EXECUTORS, FILES, drivers
from slackwater.models.scale_out import PARTS, Batch, ScaleOut, fit

FILE = RESULTS / "scale_model.jsonl"
ROLES = ("driver_java", "driver_python", "executor_java", "executor_python")
_DIVIDED = ("tasks", "task_ms", "read")
_SPLIT = {"split", "state_bytes"}  # what runs of older versions lack, which may be in the file too
SHOWN = (1, 2, 10, 100, 1_000)  # executors that the model is asked about

Run = dict[str, Any]


def main(
    sizes: Annotated[str, typer.Option(help="Rows of both streams in a batch.")] = "20000,100000,400000",
    contract: Annotated[str, typer.Option(help="FixedSlack or Deadline.")] = "FixedSlack",
    buckets: Annotated[int, typer.Option(help="Of the join.")] = 2,
    repeat: Annotated[int, typer.Option(help="Runs of each, in turn; one more is not counted.")] = 3,
    again: Annotated[bool, typer.Option("--again", help="Show the runs of the file.")] = False,
) -> None:
    """Print what batches and processors took, and the model that follows."""
    if not again:
        _run([int(size) for size in sizes.split(",")], contract, buckets, repeat)
    runs = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    report([run for run in runs if (contract, buckets) == (run["contract"], run["buckets"])])


def report(runs: list[Run]) -> None:
    """Print what was measured, the model, and what it says of more executors."""
    print(markdown(_measured(runs)))
    steady = [Batch(run["executors"], run["rows"], took) for run in runs for took in run["batch_seconds"][1:]]
    model = fit(steady)
    print(f"\n{model}, error {model.error(steady):.0%} in the median\n")
    print(markdown(_expected(model, sorted({run["rows"] for run in runs}))))
    print("\n" + markdown(_processors(runs)))
    print("\n" + markdown(_split(runs)))


def _run(sizes: list[int], contract: str, buckets: int, repeat: int) -> None:
    FILE.parent.mkdir(exist_ok=True)
    with drivers() as running, FILE.open("a", encoding="utf-8") as file:
        for turn in range(-1, repeat):
            for rows in sizes:
                for executors in EXECUTORS[:: 1 if turn % 2 else -1]:
                    if turn >= 0 or rows == sizes[0]:  # the first of each driver warms it and is not counted
                        run = running.run(executors, rows, contract, buckets)
                    if turn >= 0:
                        print(json.dumps(run), file=file, flush=True)


def _measured(runs: list[Run]) -> list[list[str]]:
    """Return medians for each size and number of executors; processor seconds are of a million rows."""
    heads = ["rows per batch", "executors", "seconds per batch", "rows/s", *(role.replace("_", ", ") for role in ROLES)]
    table = [heads]
    for rows, executors in sorted({(run["rows"], run["executors"]) for run in runs}):
        these = [run for run in runs if (rows, executors) == (run["rows"], run["executors"])]
        seconds = median(took for run in these for took in run["batch_seconds"][1:])
        shares = [median(run["processor"][role] for run in these) * 1e6 / (rows * FILES) for role in ROLES]
        figures = [f"{rows:,}", str(executors), f"{seconds:.2f}", f"{rows / seconds:,.0f}"]
        table.append(figures + [f"{share:.1f}" for share in shares])
    return table


def _processors(runs: list[Run]) -> list[list[str]]:
    """Return a line through the processor seconds of batches, for each role: all batches, the first included."""
    table = [["processor seconds", "of a batch", "of a million rows"]]
    for role in ROLES:
        slope, start = np.polyfit([run["rows"] for run in runs], [run["processor"][role] / FILES for run in runs], 1)
        table.append([role.replace("_", ", "), f"{start:.2f}", f"{slope * 1e6:.2f}"])
    return table


def _split(runs: list[Run]) -> list[list[str]]:
    """Return the share that each executor had in the work of runs with several, and each bucket in the state."""
    table = [["rows per batch", "of executors", "tasks", "time of tasks", "read from shuffles", "state of buckets"]]
    several = [run for run in runs if run["executors"] > 1 and run.keys() >= _SPLIT]
    for rows in sorted({run["rows"] for run in several}):
        these = [run for run in several if run["rows"] == rows]
        columns = [[[each[name] for each in run["split"].values()] for run in these] for name in _DIVIDED]
        columns.append([run["state_bytes"] for run in these])
        table.append([f"{rows:,}", str(these[0]["executors"]), *map(_shares, columns)])
    return table


def _shares(runs: list[list[int]]) -> str:
    """Return the smallest and the largest share of all runs."""
    shares = [part / max(sum(parts), 1) for parts in runs for part in parts]
    return f"{min(shares):.0%} to {max(shares):.0%}"


def _expected(model: ScaleOut, sizes: list[int]) -> list[list[str]]:
    """Return rows/s for more executors, with as many buckets, and what takes most of the time."""
    table = [["rows per batch", *(f"{executors} executors" for executors in SHOWN), "at most", *PARTS]]
    for rows in sizes:
        expected = [model.rows_per_second(executors, rows) for executors in SHOWN]
        shares = [f"{share:.0%}" for share in model.shares(SHOWN[0], rows).values()]
        figures = [f"{each:,.0f}" for each in (*expected, model.at_most(rows))]
        table.append([f"{rows:,}", *figures, *shares])
    return table


if __name__ == "__main__":
    typer.run(main)
