"""The regression guard: fulfilment must not fall and costs (slack, reaction) must not rise beyond what seeds do.

A baseline is a file of what a scale gave once. Where it has several seeds, their spread is what a figure may move by;
with one seed, `POINTS` of a share and `RATIO` of a cost. Rows that the baseline does not have are not compared.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from slackwater.errors import DatasetError
from slackwater.experiments.frame.description import Row
from slackwater.experiments.frame.results import Results, rows_of
from slackwater.experiments.frame.rows import MissingRowsError, Rows

POINTS = 0.005
RATIO = 0.03
LEAST = 0.0005  # s, or a share: less than that is no change

# Of these, more is better; of the others, less.
FULFILLED = ("fulfilled", "ready", "phi_nearly", "kept", "qcr")
_THE_SAME = ("phi_nearly", "kept")  # where a row says what is fulfilled, it is one of these
COSTS = ("average_slack_s", "calm_slack_s", "rough_slack_s", "reaction_s", "release_s", "violations")


def write_baseline(path: Path, folder: Path, names: Sequence[str]) -> None:
    """Keep the guarded figures of the results in a folder; those of other experiments stay as they are."""
    kept: dict[str, Mapping[str, Row]] = _read(path)
    for name in names:
        kept[name] = _figures(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    shown = {name: rows for name, rows in sorted(kept.items()) if rows}
    path.write_text(json.dumps(shown, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def compare_with(path: Path, folder: Path, names: Sequence[str]) -> tuple[int, list[str]]:
    """Return how many figures were compared, and a line for each that is worse than the baseline allows."""
    if not path.is_file():
        raise DatasetError(str(path), problem="is no baseline", remedy="write one with --keep")
    baseline, compared, worse = _read(path), 0, []
    for name in names:
        before = baseline.get(name, {})
        for cell, now in _figures(folder, name).items():
            for metric, (mean, _, _) in now.items():
                if metric not in before.get(cell, {}):
                    continue
                compared += 1
                limit = _limit(metric, before[cell][metric])
                if mean < limit if metric in FULFILLED else mean > limit:
                    was = before[cell][metric][0]
                    worse.append(f"worse: {name} {cell} {metric} {mean:.4g}, was {was:.4g}, limit {limit:.4g}")
    return compared, worse


def _limit(metric: str, before: Sequence[float]) -> float:
    mean, low, high = before
    if metric in FULFILLED:
        return min(low, mean - POINTS)
    return max(high, mean * (1 + RATIO), mean + LEAST)


def _figures(folder: Path, name: str) -> dict[str, Row]:
    """Return mean, lowest and highest over seeds of each guarded metric, by configuration and policy."""
    groups: dict[str, list[Row]] = {}
    for row in rows_of(Results(folder, name).read()):
        groups.setdefault(_label(row), []).append(row)
    found: dict[str, Row] = {}
    for label, rows in groups.items():
        for metric in (*FULFILLED, *COSTS):
            try:
                spread = Rows(rows).spread(metric)
            except MissingRowsError:
                continue
            if metric not in _THE_SAME or "fulfilled" not in found.get(label, {}):
                found.setdefault(label, {})[metric] = [round(value, 6) for value in spread[:3]]
    return found


def _label(row: Row) -> str:
    config = json.loads(row["cell"])
    return " ".join([*(f"{name}={value}" for name, value in config.items()), str(row.get("policy", ""))]).strip()


def _read(path: Path) -> dict[str, Mapping[str, Row]]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
