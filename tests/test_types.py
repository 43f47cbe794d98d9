"""Types as a user's program sees them: mypy in strict mode finds its mistakes, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src"
GOOD = """
import pyarrow as pa
import slackwater as sw

rows = pa.table({"ts": [1, 4, 3], "line": ["a", "b", "c"]})
bus: sw.Stream = sw.stream(rows, name="bus", event_time="ts", unit="s", max_ahead=None)
tram = sw.stream(rows, name="tram", event_time="ts", unit="s")


def late_rows(output: sw.Output) -> int:
    return int(output.late.num_rows)


jams = sw.join(bus, tram, on="line", within={"bus": "2 seconds", "tram": "3 seconds"}, contract=sw.Recall(0.99))
both = sw.DropRatio(0.01, over="1 minute", cap="30 seconds") & sw.Deadline("5 seconds")
counts: sw.Output = sw.aggregate(bus, size="10 seconds", values={"n": sw.count()}, contract=sw.RelativeError(0.03))
print(late_rows(jams), late_rows(sw.merge(bus, tram, contract=both)), late_rows(counts), jams.explain())
found = sw.profile(rows, event_time="ts", unit="s")
share: float | None = found.delays.share_late("1 second")
controlled = sw.Recall(0.99, controller=sw.control.ModelSearch(selectivity="noneq"))
"""
MISTAKES = {
    "an unknown output": ("sw.reorder(bus, contract=sw.NoSlack()).result", "attr-defined"),
    "a number for a contract": ("sw.reorder(bus, contract=0.99)", "arg-type"),
    "an unknown option": ('sw.stream(rows, event_time="ts", delay="5 s")', "call-arg"),
    "a frame for a stream": ("sw.reorder(rows, contract=sw.NoSlack())", "arg-type"),
    "a unit that is none": ('sw.stream(rows, event_time="ts", unit="minutes")', "arg-type"),
    "a checkpoint left out": ('jams.start(results="out")', "call-arg"),
    "a name that is none": ("sw.Recal(0.99)", "attr-defined"),
}


@pytest.fixture(scope="module")
def checked(tmp_path_factory) -> str:
    """What mypy says of a program with a line for each mistake at its end."""
    program = tmp_path_factory.mktemp("user") / "program.py"
    program.write_text(GOOD + "".join(f"{line}  # {name}\n" for name, (line, _) in MISTAKES.items()))
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--follow-imports=silent", str(program)]
    environment = {"MYPYPATH": str(SOURCE), "PATH": ""}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240, env=environment).stdout


def complaints(checked: str) -> dict[int, str]:
    """The kind of each error by its line."""
    found = [line.split(":", 2) for line in checked.splitlines() if ": error: " in line]
    return {int(number): text.rsplit("[", 1)[-1].rstrip("]") for _, number, text in found}


def test_a_good_program_has_no_type_errors(checked):
    assert {} == {line: kind for line, kind in complaints(checked).items() if line <= GOOD.count("\n")}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_a_type_error(checked, mistake):
    line = GOOD.count("\n") + 1 + list(MISTAKES).index(mistake)
    assert MISTAKES[mistake][1] == complaints(checked).get(line)


def test_the_package_says_that_it_has_types():
    assert (SOURCE / "slackwater" / "py.typed").exists()
