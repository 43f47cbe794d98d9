"""Results as files: JSON lines, the machine and the versions in each of them."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import slackwater
from benchmarks.growing_file import GrowingFile
from benchmarks.rivals.catalog import Engine
from benchmarks.rivals.environments import REQUIREMENTS

_PINNED = {"flink": "apache-flink", "bytewax": "bytewax", "pathway": "pathway", "quix": "quixstreams"}


def new_file() -> GrowingFile:
    """Begin a file; its lines say what the machine does besides as of now."""
    return GrowingFile.new("rivals-", {**machine(), "load_before": os.getloadavg()[0]})


def read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def machine() -> dict[str, Any]:
    """Return what figures depend on besides the code."""
    return {
        "version": slackwater.__version__,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "processor": _processor(),
        "java": _java(),
    }


def versions(engines: Sequence[Engine]) -> dict[str, str]:
    """Return the version of every engine that has one."""
    found = {}
    for engine in engines:
        if engine.environment is not None:
            found[engine.name] = _pinned(engine.environment)
        elif not engine.skipped:
            found[engine.name] = metadata.version(_package(engine))
    return found


def _package(engine: Engine) -> str:
    return "pyspark" if "spark" in engine.name else engine.name


def _pinned(environment: str) -> str:
    lines = (REQUIREMENTS / f"{environment}.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    return pinned[_PINNED[environment]]


def _processor() -> str:
    try:
        names = re.findall(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        names = []
    return names[0] if names else platform.processor()


def _java() -> str:
    try:
        said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    except OSError:
        return ""
    return said.splitlines()[0] if said else ""
