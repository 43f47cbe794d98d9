"""A daemon for Spark's Python workers that notes what each task did: a line of JSON for each of them.

Clocks are read around the few calls that matter: a profiler that follows every call would make small batches slower.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspark.worker
from pyspark.daemon import manager
from pyspark.sql.streaming.stateful_processor_api_client import StatefulProcessorApiClient

from slackwater.spark.daemon import load
from slackwater.spark.processor import BucketProcessor

FOLDER = "SLACKWATER_WATCHED"  # the variable that says where lines go

_noted: dict[str, float] = {}


def main() -> None:
    """Watch tasks of all workers that are forked from here."""
    load()
    for name in [each for each in vars(StatefulProcessorApiClient) if each.startswith(("_send", "_receive", "_read"))]:
        _watch(StatefulProcessorApiClient, name, "state")
    _watch(BucketProcessor, "init", "init")
    _watch(BucketProcessor, "_call", "call")
    _watch(pyspark.worker, "main", "task", at_end=_write)
    manager()


def _watch(owner: Any, name: str, part: str, at_end: Callable[[float], None] | None = None) -> None:
    """Add up how often something is called and how many ms it takes; what calls itself would count twice."""
    watched = getattr(owner, name)

    def watching(*given: Any, **named: Any) -> Any:
        began, used = time.perf_counter(), time.process_time()
        try:
            return watched(*given, **named)
        finally:
            _noted[part] = _noted.get(part, 0) + 1_000 * (time.perf_counter() - began)
            if name.startswith("_send"):
                _noted["questions"] = _noted.get("questions", 0) + 1
            if at_end is not None:
                at_end(1_000 * (time.process_time() - used))

    setattr(owner, name, watching)


def _write(used: float) -> None:
    with (Path(os.environ[FOLDER]) / f"{os.getpid()}.jsonl").open("a") as file:
        file.write(json.dumps({**_noted, "used": used}) + "\n")
    _noted.clear()


if __name__ == "__main__":
    main()
