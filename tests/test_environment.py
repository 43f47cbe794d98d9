"""What `make` says on a machine that lacks something: one line with the remedy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "check-env.sh"


@pytest.fixture
def machine(tmp_path):
    """Build a machine that has a shell, its tools, and what a test gives it; return what the check prints."""
    for tool in ("sh", "sed", "head"):
        (tmp_path / tool).symlink_to(shutil.which(tool))

    def check(**programs: str) -> subprocess.CompletedProcess[str]:
        for name, body in programs.items():
            program = tmp_path / name
            program.write_text(f"#!{tmp_path}/sh\n{body}\n")
            program.chmod(0o755)
        environment = {key: value for key, value in os.environ.items() if key not in ("JAVA_HOME", "PYTHON")}
        environment["PATH"] = str(tmp_path)
        command = [str(tmp_path / "sh"), str(SCRIPT)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return check


PYTHON = f'exec "{sys.executable}" "$@"'
JAVA_11 = "echo 'openjdk version \"11.0.2\" 2019-01-15' >&2"
JAVA_17 = "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2"


def test_a_machine_with_both_gives_the_python_to_use(machine):
    assert "python3" == machine(python3=PYTHON, java=JAVA_17).stdout.strip()


@pytest.mark.parametrize(
    ("programs", "message"),
    [
        ({"java": JAVA_17}, "Python 3.11 or newer is needed and was not found"),
        ({"python3": "exit 1", "java": JAVA_17}, "Python 3.11 or newer is needed"),
        ({"python3": PYTHON}, "Java 17 or newer is needed and was not found"),
        ({"python3": PYTHON, "java": JAVA_11}, "Java 17 or newer is needed, found 11"),
        ({"python3": PYTHON, "java": "echo nonsense >&2"}, "found an unknown version"),
    ],
    ids=["no python", "old python", "no java", "old java", "strange java"],
)
def test_what_is_missing_is_named_in_one_line_with_the_remedy(machine, programs, message):
    done = machine(**programs)
    assert 1 == done.returncode
    assert 1 == len(done.stderr.splitlines())
    assert message in done.stderr
    assert "install it" in done.stderr
