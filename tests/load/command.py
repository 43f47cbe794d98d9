"""Puts queries under load, verifies what they wrote, and prints the figures."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console

from tests.chaos.command import scratch
from tests.load.report import saturation_table, soak_table, write_json
from tests.load.running import pin
from tests.load.saturation import saturate
from tests.load.soak import soak

SHARE = 0.7  # of what a query can do


def main_soak(*, minutes: float, query: str, output: Path, share: float = SHARE) -> int:
    """Measure what a query keeps up on one core, then run it at a share of that; return 1 if anything was wrong."""
    console = Console()
    pin([0])
    with scratch() as folder:
        most = saturate(query, folder / "saturation")
        console.print(saturation_table([most]))
        write_json(output / "load.jsonl", [most])
        rate = share * most.rows_per_second
        found = soak(query, folder / "soak", rate=rate, minutes=minutes, tell=_teller(output / "soak.log"))
        console.print(soak_table(found))
        write_json(output / "load.jsonl", [found])
        for name in ("samples.jsonl", "progress.jsonl", "heap.jsonl"):
            file = folder / "soak" / name
            if file.exists():
                (output / f"soak-{name}").write_text(file.read_text())
    return 0 if most.verdict.is_good and found.verdict.is_good else 1


def _teller(file: Path):
    def tell(words: str) -> None:
        with file.open("a") as lines:
            lines.write(f"{time.strftime('%H:%M:%S')} {words}\n")

    return tell
