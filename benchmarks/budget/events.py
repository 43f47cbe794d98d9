"""What Spark's event log says of the jobs of micro-batches: when they and their tasks ran, what the tasks counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Job:
    """A job of a batch: times in ms, tasks by stage."""

    batch: int
    began: int
    stages: list[int]
    ended: int = 0
    tasks: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def took(self) -> int:
        """How long it ran."""
        return self.ended - self.began

    def lasted(self, stage: int) -> int:
        """How long tasks of a stage ran, from the first to the last."""
        infos = [task["Task Info"] for task in self.tasks[stage]]
        return max(int(info["Finish Time"]) for info in infos) - min(int(info["Launch Time"]) for info in infos)

    def counted(self, stage: int, name: str) -> int:
        """Return the largest value among the tasks of a stage of what Spark counts under a name."""
        return max((_counted(task, name) for task in self.tasks[stage]), default=0)


def jobs_of(folder: Path, query: str) -> list[Job]:
    """Return the jobs of a query's batches, in the order in which they began; those that have ended."""
    jobs: dict[int, Job] = {}
    of_stage: dict[int, Job] = {}
    for event in _events(folder):
        match event["Event"]:
            case "SparkListenerJobStart" if _said(event, "sql.streaming.queryId") == query:
                batch = int(_said(event, "streaming.sql.batchId") or -1)
                job = Job(batch, event["Submission Time"], sorted(event["Stage IDs"]))
                jobs[event["Job ID"]] = job
                of_stage.update(dict.fromkeys(job.stages, job))
            case "SparkListenerJobEnd" if event["Job ID"] in jobs:
                jobs[event["Job ID"]].ended = event["Completion Time"]
            case "SparkListenerTaskEnd" if event["Stage ID"] in of_stage:
                of_stage[event["Stage ID"]].tasks.setdefault(event["Stage ID"], []).append(event)
    return [job for job in jobs.values() if job.ended]


def _said(event: dict[str, Any], name: str) -> str | None:
    said: str | None = (event.get("Properties") or {}).get(name)
    return said


def _events(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and "events" in path.name):
        with file.open() as lines:
            for line in lines:
                if line.endswith("\n"):
                    yield json.loads(line)


def _counted(task: dict[str, Any], name: str) -> int:
    found = [each.get("Update") for each in task["Task Info"].get("Accumulables", []) if each.get("Name") == name]
    return sum(int(value) for value in found if value is not None)
