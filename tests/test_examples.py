"""Examples print what their .out files say, the notebook what it has kept; every Python block of the README runs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def _marks(path: Path):
    return pytest.param(path, marks=pytest.mark.spark if "spark" in path.name else (), id=path.stem)


@pytest.mark.parametrize("example", [_marks(path) for path in EXAMPLES])
def test_the_example_prints_what_its_out_file_says(example):
    done = subprocess.run(
        [sys.executable, str(example)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
    )
    assert 0 == done.returncode, done.stderr[-2000:]
    printed = [line for line in done.stdout.splitlines() if line and "TransformWithState" not in line]
    assert example.with_suffix(".out").read_text().splitlines() == printed


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.sql")), ids=lambda path: path.stem)
def test_the_pipeline_prints_what_its_out_file_says(example, tmp_path):
    command = [sys.executable, "-m", "slackwater.cli.main", "run", str(example)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, cwd=tmp_path)
    assert 0 == done.returncode, done.stderr[-2000:]
    assert example.with_suffix(".out").read_text() == done.stdout


def test_the_cells_of_the_notebook_print_what_it_has_kept(monkeypatch):
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    cells = json.loads((ROOT / "examples" / "phones.ipynb").read_text(encoding="utf-8"))["cells"]
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        with redirect_stdout(StringIO()) as out:
            exec(compile("".join(cell["source"]), "phones.ipynb", "exec"), names)
        assert "".join(cell["outputs"][0]["text"]) == out.getvalue()


def blocks_of_the_readme() -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("block", [block for block in blocks_of_the_readme() if "session" not in block])
def test_a_block_of_the_readme_prints_what_its_comments_say(block, capsys):
    exec(compile(block, "README.md", "exec"), {})
    assert re.findall(r"print\(.*\)  # (.*)", block) == capsys.readouterr().out.splitlines()


@pytest.mark.spark
def test_the_spark_block_of_the_readme_runs_a_query(spark, tmp_path):
    (tmp_path / "incoming").mkdir()
    rows = [
        {"kind": "bus", "ts": "2024-05-01T08:00:00Z", "area": "north", "delay": 90},
        {"kind": "scats", "ts": "2024-05-01T08:00:02Z", "area": "north", "flow": 500},
    ]
    (tmp_path / "incoming" / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    block = next(block for block in blocks_of_the_readme() if "readStream" in block)
    block = re.sub(r'"(incoming|out/\w+)"', rf'"{tmp_path}/\1"', block)
    names: dict[str, object] = {}
    exec(compile(block, "README.md", "exec"), names)
    assert names["query"].exception() is None
    assert (tmp_path / "out" / "checkpoint" / "commits" / "0").exists()
