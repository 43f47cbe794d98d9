"""Runs the cells of experiments that are not known yet."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from slackwater.errors import DatasetError, ParameterError
from slackwater.experiments.frame.description import Cell, Engine, Experiment, Row, Scale
from slackwater.experiments.frame.results import Results
from slackwater.sources.real import REAL, VARIABLE, data_folder

Notice: TypeAlias = Callable[[str, int, int], None]  # what runs now, how many cells are done, how many are to be run


@dataclass(frozen=True)
class Asked:
    """What to run: at which scale, on which engine, with which seeds (None: those of the scale), into which folder."""

    scale: Scale
    folder: Path
    engine: Engine = "local"
    seeds: tuple[int, ...] | None = None
    fresh: bool = False

    def cells(self, experiment: Experiment) -> list[Cell]:
        """Return the cells of an experiment; those whose data set is not on this machine are left out."""
        return [cell for cell in experiment.cells(self.scale, self.engine, self.seeds) if _has_data(cell)]


def run_all(experiments: dict[str, Experiment], asked: Asked, notice: Notice) -> dict[str, Row]:
    """Run what is missing of each experiment, and return their summaries."""
    _check(experiments, asked)
    files = {name: Results(asked.folder, name) for name in experiments}
    if asked.fresh:
        for each in files.values():
            each.forget()
    wanted = {name: asked.cells(experiment) for name, experiment in experiments.items()}
    known = {name: file.read() for name, file in files.items()}
    missing = {name: [cell for cell in wanted[name] if cell.key not in known[name]] for name in experiments}
    planned, done = sum(map(len, missing.values())), 0
    summaries = {}
    for name, experiment in experiments.items():
        for cell in missing[name]:
            notice(f"{name} {_shown(cell)}", done, planned)
            known[name][cell.key] = _run(experiment, cell, files[name])
            done += 1
        keys = {cell.key for cell in wanted[name]}
        lines = {key: line for key, line in known[name].items() if key in keys}
        if lines:
            summaries[name] = files[name].summarize(experiment, asked.scale, lines)
    notice("done", done, planned)
    return summaries


def _run(experiment: Experiment, cell: Cell, results: Results) -> Row:
    started, used = time.perf_counter(), processor_time()
    rows = list(experiment.run(cell))
    return results.add(cell, rows, time.perf_counter() - started, processor_time() - used)


def processor_time() -> float:
    """Return what this process has used so far, and those that it started and that have ended, in s."""
    return sum(os.times()[:4])


def _check(experiments: dict[str, Experiment], asked: Asked) -> None:
    if asked.engine == "spark" and asked.scale != "smoke":
        remedy = "Spark has to list every result, of which there are billions: leave --scale out, or say smoke"
        raise ParameterError("--scale", asked.scale, must="be smoke on Spark", remedy=remedy)
    for name, each in experiments.items():
        if asked.engine == "spark" and each.in_process_only:
            raise ParameterError("--engine", "spark", must=f"be local for {name}", remedy=each.in_process_only)


def _has_data(cell: Cell) -> bool:
    if str(cell.config.get("set", "")) not in REAL:
        return True
    try:
        return data_folder().is_dir()
    except DatasetError:
        return False


def left_out(experiments: dict[str, Experiment], asked: Asked) -> str | None:
    """Return a sentence about cells that cannot be run here, if there are any."""
    names = [
        name
        for name, each in experiments.items()
        if len(asked.cells(each)) < len(each.cells(asked.scale, asked.engine, asked.seeds))
    ]
    if not names:
        return None
    return f"Left out of {', '.join(names)}: real data sets, which are not here; set {VARIABLE} to their folder."


def _shown(cell: Cell) -> str:
    values = [str(value) for name, value in cell.config.items() if name != "duration"]
    return " ".join([*values, f"seed {cell.seed}"])
