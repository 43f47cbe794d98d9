"""Draws the pictures of docs/science.md from runs of slackwater; run it as `python scripts/site/pictures.py`.

The runs are seeded, so that the same code draws the same pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as csv
from canvas import Wanted, axes, drawing, legend

import slackwater as sw
from slackwater.experiments.replay import Replay
from slackwater.experiments.subject import subject_of_dataset

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "pictures"
ROWS = csv.read_csv(ROOT / "examples" / "data" / "phones.csv")
PHONES = sw.stream(ROWS, name="phones", event_time="at", arrival="seq")
_TOP, _UNDER = 34, 44  # pixels for the legend, and under an axis


def disorder() -> str:
    """Rows as they came: the clock, the horizon, and who is late."""
    first, last = 965, 1040  # two phones find their signal again
    at = ROWS["at"].to_numpy().astype("datetime64[us]").astype(np.int64)
    seconds = (at - at[first]) / 1e6
    clock = np.maximum.accumulate(seconds)
    late = set(sw.reorder(PHONES, contract=sw.FixedSlack("500 ms")).late["seq"].to_pylist())
    shown = range(first, last)
    wanted = Wanted([first, last], [-2, 5.5], "row, in the order of arrival", "event time (s)", height=300)
    panel = wanted.panel(_TOP)
    panel.line([(row, clock[row]) for row in shown], "a", step=True)
    panel.line([(row, clock[row] - 0.5) for row in shown], "b", step=True)
    panel.dots([(row, seconds[row]) for row in shown if row not in late], "ink", size=3)
    panel.dots([(row, seconds[row]) for row in shown if row in late], "bad", size=4)
    said = [("ink", "a row"), ("a", "clock"), ("b", "horizon = clock - slack (0.5 s)"), ("bad", "late")]
    return drawing([*axes(panel, wanted), *panel.parts, *legend(said)], _TOP + 300 + _UNDER, "Rows, clock and horizon")


def tradeoff() -> str:
    """What every constant slack would lose, over all and in the worst minute; and what the contract did."""
    advice = sw.advise(ROWS, event_time="at", contract=sw.DropRatio(0.01))
    kept = advice.policy("contract")
    assert kept is not None
    slack, missed = advice.curve.slack / 1e6, advice.curve.missed
    some = (slack > 0.01) & (missed > 0)
    ys = [1e-4, 0.1]
    wanted = Wanted(
        [0.01, 5], ys, "slack (s)", "share of the rows late", height=260, log_x=True, log_y=True, percent=True
    )
    panel = wanted.panel(_TOP)
    panel.line(zip(slack[some], missed[some], strict=True), "a")
    panel.line([(0.01, 0.01), (5, 0.01)], "bad dashed")
    for kind, style in (("overall", "b"), ("every_period", "c")):
        policy = advice.policy(kind)  # type: ignore[arg-type]
        if policy is not None:
            panel.dots([(policy.slack / 1e6, policy.missed)], style, size=5)
    panel.dots([(kept.slack / 1e6, kept.missed)], "good", size=6)
    said = [
        ("a", "any constant slack"),
        ("b", "1 % over all"),
        ("c", "1 % in every minute, in hindsight"),
        ("good", "the contract, on average"),
    ]
    return drawing([*axes(panel, wanted), *panel.parts, *legend(said)], _TOP + 260 + _UNDER, "Share late by slack")


def recall() -> str:
    """Recall and slack of a join over time: never waiting, the contract, hindsight, the largest delay."""
    contract = sw.Recall(0.95, over="1 minute")
    replay = Replay(subject_of_dataset("syn3", seed=1, duration="4 minutes"))
    period, goal = 60_000_000, contract.goal()
    runs = {"c": replay.measure(sw.NoSlack(), period), "b": replay.measure(sw.MaxSlack(), period)}
    runs["a"] = replay.measure(contract, period)
    best = replay.hindsight(goal, runs["a"].phi(0.95).nearly).slack
    assert best is not None
    start = runs["a"].at[0]
    times = {kind: (run.at - start) / 1e6 for kind, run in runs.items()}
    above = Wanted([0, 240], [0.6, 1.0], "", "recall of the last minute", height=180, percent=True)
    below = Wanted([0, 240], [0.1, 30], "event time (s)", "slack (s)", height=150, log_y=True)
    top, bottom = above.panel(_TOP), below.panel(_TOP + 180 + _UNDER)
    top.line([(0, 0.95), (240, 0.95)], "bad dashed")
    for kind, run in runs.items():
        counts = run.counts
        top.line(zip(times[kind][counts], run.recall[counts], strict=True), kind)
        if kind != "c":
            slack = np.maximum(run.slack / 1e6, 0.1)
            bottom.line(zip(times[kind], slack, strict=True), kind, step=True)
    bottom.line([(0, best / 1e6), (240, best / 1e6)], "good dashed")
    said = [
        ("a", "Recall(0.95)"),
        ("c", "never wait"),
        ("b", "the largest delay so far"),
        ("good", "best constant, in hindsight"),
        ("bad", "target"),
    ]
    parts = [*axes(top, above), *top.parts, *axes(bottom, below), *bottom.parts, *legend(said)]
    return drawing(parts, _TOP + 180 + _UNDER + 150 + _UNDER, "Recall and slack of a join over time")


def early() -> str:
    """Sums of windows: what had come half way, what was expected, the interval, and what it was in the end."""

    def shown(estimate: str) -> list[dict[str, Any]]:
        out = sw.aggregate(
            PHONES,
            size="10 seconds",
            values={"trips": sw.sum("round_trip_ms")},
            contract=sw.RelativeError(0.03),
            early=sw.Early(aggressiveness=0.5, estimate=estimate),  # type: ignore[arg-type]
        )
        return out.results.to_pylist()

    corrected, raw = shown("corrected"), shown("raw")
    ends = sorted({row["window"]["end"] for row in corrected})[1:-1]  # the first and the last are cut off
    number = {end: place for place, end in enumerate(ends)}
    highest = max(row["trips_high"] or row["trips"] for row in corrected) / 1e3
    wanted = Wanted([0, len(ends)], [0, 1.05 * highest], "window of 10 s", "sum of round trips (s)", height=240)
    panel = wanted.panel(_TOP)
    for row in (row for row in corrected if row["window"]["end"] in number):
        place, value = number[row["window"]["end"]], row["trips"] / 1e3
        if row["kind"] == "early" and row["trips_low"] is not None:
            panel.bar(place, row["trips_low"] / 1e3, row["trips_high"] / 1e3, "a")
        panel.dots([(place, value)], "ink" if row["kind"] == "final" else "a", size=2.8)
    come = [row for row in raw if row["kind"] == "early" and row["window"]["end"] in number]
    panel.dots([(number[row["window"]["end"]], row["trips"] / 1e3) for row in come], "c")
    said = [("c", "what had come"), ("a", "what was expected, with its interval"), ("ink", "what it was in the end")]
    return drawing([*axes(panel, wanted), *panel.parts, *legend(said)], _TOP + 240 + _UNDER, "Early results of windows")


def panes() -> str:
    """Windows of 30 s every 10 s, and the panes that they share; the numbers are counts of a run."""
    rows = ROWS.slice(0, 1600)
    stream = sw.stream(rows, name="phones", event_time="at")

    def counts(size: str) -> dict[float, int]:
        out = sw.aggregate(
            stream, size=size, slide="10 seconds", values={"n": sw.count()}, contract=sw.FixedSlack("5 seconds")
        )
        return {row["window"]["end"].timestamp(): row["n"] for row in out.results.to_pylist()}

    small, large = counts("10 seconds"), counts("30 seconds")
    first = min(small) - 10
    ends = [end for end in sorted(large) if end in small][2:7]
    ticks = tuple((10.0 * n, f"{10 * n} s") for n in range(8))
    wanted = Wanted([0, 70], [0, 6.4], "event time", "", height=220, ticks=ticks)
    panel = wanted.panel(_TOP)
    for end in sorted(small)[:7]:
        left = end - first - 10
        panel.box(left + 0.3, left + 9.7, 0.2, 1, "a")
        panel.text(left + 5, 0.6, str(small[end]), kind="middle", shift=(0, 4))
    for level, end in enumerate(ends):
        right = end - first
        panel.box(right - 29.7, right - 0.3, level + 1.4, level + 2.1, "b")
        panel.text(right - 15, level + 1.75, f"{large[end]}", kind="middle", shift=(0, 4))
    frame = [part for part in axes(panel, wanted) if 'class="tick end"' not in part]
    said = [("a", "panes, added to as rows come"), ("b", "windows, rolled up from their panes")]
    return drawing([*frame, *panel.parts, *legend(said)], _TOP + 220 + _UNDER, "Windows and the panes they share")


PICTURES: dict[str, Callable[[], str]] = {
    "disorder": disorder,
    "tradeoff": tradeoff,
    "recall": recall,
    "early": early,
    "panes": panes,
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw(), encoding="utf-8")
