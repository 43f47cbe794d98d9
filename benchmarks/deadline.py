"""Deadlines on the traffic application of SSG17: policies compared, operators that share one, and what predicts.

Not a ratio of times, so it is no part of `slackwater bench`: run it as a module, for example

    python -m benchmarks.deadline --only policies,shared,prediction

`policies` are SSG17 Fig. 12 and 13, `shared` is a graph of two operators with one deadline, `prediction` is Table 1.
Figures go to benchmarks/results/deadline.jsonl. Service times are assumed unless `--measured` is given: then latencies
differ from run to run with what else the machine does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import pyarrow as pa
import typer

from benchmarks.cells import markdown
from benchmarks.growing_file import RESULTS
from slackwater.deadline import Deadline
from slackwater.experiments.deadline import DeadlineRun, compare_deadlines
from slackwater.experiments.prediction import compare_predictors, logged_runs
from slackwater.experiments.traffic_graph import Service
from slackwater.report.deadline import DeadlineComparison
from slackwater.sources.catalog import load

DEADLINES = {"traffic": "6 seconds", "traffic-growing": "35 seconds"}  # SSG17 Sec. 6
PARTS = "policies,shared,prediction"


def main(
    only: Annotated[str, typer.Option(help=f"Of {PARTS}.")] = PARTS,
    seed: Annotated[int, typer.Option(help="Of the streams.")] = 1,
    duration: Annotated[str | None, typer.Option(help="How much of them; 350 seconds unless given.")] = None,
    measured: Annotated[bool, typer.Option("--measured", help="Measure service times.")] = False,
) -> None:
    """Print tables of how deadlines are kept, and of how well latency is predicted."""
    RESULTS.mkdir(exist_ok=True)
    options = {"seed": seed, "duration": duration}
    service = Service(measured=measured)
    with (RESULTS / "deadline.jsonl").open("a", encoding="utf-8") as file:
        for part in only.split(","):
            for figures in _RUN[part](options, service):
                file.write(json.dumps({"part": part, **options, "measured": measured, **figures}) + "\n")


def _policies(options: dict[str, Any], service: Service) -> Iterator[dict[str, Any]]:
    for name, limit in DEADLINES.items():
        runs = compare_deadlines(load(name, **options), [Deadline(limit)], service=service)
        yield from _show(f"{name}, deadline {limit}", runs)


def _shared(options: dict[str, Any], service: Service) -> Iterator[dict[str, Any]]:
    runs = compare_deadlines(load("traffic", **options), [Deadline("6 seconds")], counts=True, service=service)
    truth = next(run.ran.worst for run in runs if run.policy == "StaticHigh")
    yield from _show("traffic, jams counted by area, deadline 6 seconds for both operators", runs)
    rows = []
    for run in runs:
        same = sum(truth[end] == areas for end, areas in run.ran.worst.items() if end in truth)
        slacks = [f"{column.mean() / 1e6:.2f} s" for column in run.ran.slack.values()]
        rows.append((run.policy, *slacks, f"{run.ran.late:,}", f"{same} of {len(truth)}"))
    heads = (
        "policy",
        "slack of the join",
        "of the windows",
        "jams too late for them",
        "three worst areas as StaticHigh's",
    )
    print(markdown([heads, *rows]))


def _prediction(options: dict[str, Any], service: Service) -> Iterator[dict[str, Any]]:
    found = compare_predictors(logged_runs(load("traffic", **options)), seed=options["seed"])
    heads = ("trained on", "features", "method", "NRMSE of latency", "NRMSE of slack-ready", "seconds")
    rows = [
        (
            f"{each['trained_on']} half",
            each["features"],
            each["method"],
            f"{each['latency']:.1%}",
            f"{each['slack_ready']:.1%}",
            f"{each['seconds']:.2f}",
        )
        for each in found
    ]
    print(f"\n{found[0]['intervals']} intervals to train on\n")
    print(markdown([heads, *rows]))
    yield from found


def _show(title: str, runs: Sequence[DeadlineRun]) -> Iterator[dict[str, Any]]:
    figures = [{"run": number, **run.figures()} for number, run in enumerate(runs)]
    shown = DeadlineComparison(tuple(figures), pa.table({}))
    print(f"\n{title}\n")
    print(markdown([shown.heads, *shown.rows()]))
    yield from figures


_RUN = {"policies": _policies, "shared": _shared, "prediction": _prediction}

if __name__ == "__main__":
    typer.run(main)
