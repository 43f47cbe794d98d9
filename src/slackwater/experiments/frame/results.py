"""The files of an experiment: a JSON line for each cell, and beside it the description with the verdicts.

A line is written as soon as its cell is known, and a cell that the file has is not run again: a run that was stopped
goes on where it was. Nothing tells a file that the code has changed: then start afresh, or in another folder.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from slackwater.experiments.frame.claims import judge
from slackwater.experiments.frame.description import Cell, Experiment, Row, Scale
from slackwater.experiments.frame.rows import Rows

_PACKAGES = ("slackwater", "numpy", "pyarrow", "numba", "pyspark")


@dataclass(frozen=True)
class Results:
    """The results of one experiment at one scale, in a folder."""

    folder: Path
    name: str

    @property
    def lines(self) -> Path:
        """The file with a line for each cell."""
        return self.folder / f"{self.name}.jsonl"

    @property
    def summary(self) -> Path:
        """The file with the description and the verdicts."""
        return self.folder / f"{self.name}.json"

    def read(self) -> dict[str, Row]:
        """Return the lines by the key of their cell; the last one counts where one was written twice.

        A line that was cut off when the run was stopped does not count.
        """
        found: dict[str, Row] = {}
        for text in self.lines.read_text(encoding="utf-8").splitlines() if self.lines.is_file() else []:
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue
            found[Cell(line["config"], line["seed"], line["engine"]).key] = line
        return found

    def add(self, cell: Cell, rows: list[Row], took: float, used: float) -> Row:
        """Write the rows of a cell, with how long it took and what it used of the processor, and return the line."""
        line = {
            "experiment": self.name,
            "config": dict(cell.config),
            "seed": cell.seed,
            "engine": cell.engine,
            "versions": versions(),
            "took_s": round(took, 3),
            "processor_s": round(used, 3),
            "rows": rows,
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.lines.open("a+", encoding="utf-8") as file:
            if file.tell() and not self.lines.read_bytes().endswith(b"\n"):
                file.write("\n")  # what was cut off stays a line of its own
            file.write(json.dumps(line) + "\n")
        return line

    def forget(self) -> None:
        """Remove both files."""
        self.lines.unlink(missing_ok=True)
        self.summary.unlink(missing_ok=True)

    def summarize(self, experiment: Experiment, scale: Scale, lines: Mapping[str, Row]) -> Row:
        """Judge all claims by the rows of these lines, and write that with the description."""
        rows = rows_of(lines)
        summary: dict[str, Any] = {
            "name": self.name,
            "document": experiment.document,
            "section": experiment.section,
            "title": experiment.title,
            "about": experiment.about
            + (f" In process only: {reason}" if (reason := experiment.in_process_only) else ""),
            "scale": scale,
            "timed": experiment.timed,
            "in_matrix": experiment.in_matrix,
            "seeds": sorted({line["seed"] for line in lines.values()}),
            "versions": versions(),
            "table": [asdict(column) for column in experiment.table],
            "plots": [asdict(plot) for plot in experiment.plots],
            "claims": [judge(claim, rows, scale) for claim in experiment.claims],
        }
        self.summary.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
        return summary


def rows_of(lines: Mapping[str, Row]) -> Rows:
    """Return the rows of lines, each with the configuration and the seed of its cell."""
    return Rows(
        [
            {**line["config"], **row, "seed": line["seed"], "cell": json.dumps(line["config"], sort_keys=True)}
            for line in lines.values()
            for row in line["rows"]
        ]
    )


def versions() -> dict[str, str]:
    """Return the versions that results depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}
